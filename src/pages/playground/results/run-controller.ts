import type { ReactiveControllerHost } from 'lit'
import { GatewayError } from '../../gateway/gateway-error.ts'
import type { Call, LogEntry } from '../../results/execution.ts'
import { idleRun, type RunState, withCall } from '../../results/run-state.ts'
import type { OpenFunction } from '../../shell/open-in-playground.ts'
import type { Fields } from '../draft/link.ts'
import type { Problem } from '../types/protocol.ts'
import { runScript } from './run-script.ts'

// What arrives within this time is shown at once: to render each entry of a long log by itself would block the keys.
const collectMs = 60

/** Runs one script at a time, and updates the page while it goes on. */
export class RunController {
  state: RunState = idleRun
  /** The error of the last run, until the next edit. */
  problems: readonly Problem[] = []
  #abort: AbortController | null = null
  // The script has changed since the run began, so that a place in it may be another one now.
  #hasChanged = false
  readonly #host: ReactiveControllerHost

  constructor(host: ReactiveControllerHost) {
    this.#host = host
  }

  get isRunning(): boolean {
    return this.#abort !== null
  }

  start(fields: Fields, open: OpenFunction | null): void {
    const abort = new AbortController()
    this.#abort = abort
    this.#hasChanged = false
    this.problems = []
    this.#change({ ...idleRun, phase: 'running', input: fields.input })
    const news = this.#collect()
    const startedAt = performance.now()
    runScript({
      fields,
      name: open?.name ?? 'playground',
      caseTypeCode: open?.caseTypeCode ?? null,
      signal: abort.signal,
      ...news,
    })
      .then(execution => {
        news.show()
        this.problems = this.#hasChanged ? [] : findProblem(execution.error)
        this.#change({ phase: 'ended', execution, logs: execution.logs, durationMs: execution.duration_ms })
      })
      .catch((error: unknown) => {
        news.show()
        const isStopped = abort.signal.aborted
        const phase = isStopped ? 'stopped' : wasRefused(error) ? 'refused' : 'lost'
        this.#change({
          phase,
          error: isStopped ? null : error,
          durationMs: performance.now() - startedAt,
        })
      })
      .finally(() => {
        this.#abort = null
        this.#host.requestUpdate()
      })
  }

  /** Shows why nothing was sent. */
  refuse(error: unknown): void {
    this.problems = []
    this.#change({ ...idleRun, phase: 'refused', error })
  }

  /** Returns false if nothing runs. */
  stop(): boolean {
    this.#abort?.abort()
    return this.#abort !== null
  }

  /** Forgets the last run, because another script is open. One that goes on is shown to its end, as that of another. */
  forget(): void {
    this.problems = []
    this.#change(this.isRunning ? { isOfOther: true } : idleRun)
  }

  /** Forgets the problems that an edit may have solved. */
  forgetProblems(): void {
    const isRefused = this.state.phase === 'refused'
    this.#hasChanged = true
    if (this.problems.length === 0 && !isRefused) return
    this.problems = []
    this.#change(isRefused ? idleRun : {})
  }

  // Collects what the run says, and shows it a moment later.
  #collect() {
    const logs: LogEntry[] = []
    let calls: readonly Call[] = []
    let timer: ReturnType<typeof setTimeout> | null = null
    const show = (): void => {
      if (timer !== null) clearTimeout(timer)
      timer = null
      this.#change({ logs: [...logs], calls })
    }
    const showSoon = (): void => {
      timer ??= setTimeout(show, collectMs)
    }
    const onLog = (entry: LogEntry): void => {
      logs.push(entry)
      showSoon()
    }
    const onCall = (call: Call): void => {
      calls = withCall(calls, call)
      showSoon()
    }
    return { onLog, onCall, show }
  }

  #change(changes: Partial<RunState>): void {
    this.state = { ...this.state, ...changes }
    this.#host.requestUpdate()
  }
}

// A proxy that loses the gateway answers with 502 or 504, also while the script runs.
function wasRefused(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.status < 400) return false
  return error.status < 500 || !['UNKNOWN', 'INTERNAL'].includes(error.code)
}

function findProblem(error: NonNullable<RunState['execution']>['error']): readonly Problem[] {
  if (error?.line == null) return []
  const { code, message, line, column } = error
  return [{ line, column: column ?? 1, length: 0, message: `${code}: ${message}` }]
}
