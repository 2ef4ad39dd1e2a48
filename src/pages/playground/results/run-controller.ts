import type { ReactiveControllerHost } from 'lit'
import { idleRun, type RunState, withCall } from '../../results/run-state.ts'
import type { OpenFunction } from '../draft/draft-store.ts'
import type { Fields } from '../draft/link.ts'
import type { Problem } from '../types/protocol.ts'
import { runScript } from './run-script.ts'

/** Runs one script at a time, and updates the page while it goes on. */
export class RunController {
  state: RunState = idleRun
  /** The error of the last run, until the next edit. */
  problems: readonly Problem[] = []
  #abort: AbortController | null = null
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
    this.problems = []
    this.#change({ ...idleRun, phase: 'running', input: fields.input })
    const startedAt = performance.now()
    const durationMs = () => performance.now() - startedAt
    runScript({
      fields,
      name: open?.name ?? 'playground',
      caseTypeCode: open?.caseTypeCode ?? null,
      signal: abort.signal,
      onLog: entry => this.#change({ logs: [...this.state.logs, entry] }),
      onCall: call => this.#change({ calls: withCall(this.state.calls, call) }),
    })
      .then(execution => {
        const { error, logs, duration_ms } = execution
        if (error?.line != null)
          this.problems = [
            {
              line: error.line,
              column: error.column ?? 1,
              length: 0,
              message: `${error.code}: ${error.message}`,
            },
          ]
        this.#change({ phase: 'ended', execution, logs, durationMs: duration_ms })
      })
      .catch((error: unknown) => {
        const isStopped = abort.signal.aborted
        this.#change({
          phase: isStopped ? 'stopped' : 'lost',
          error: isStopped ? null : error,
          durationMs: durationMs(),
        })
      })
      .finally(() => {
        this.#abort = null
        this.#host.requestUpdate()
      })
  }

  /** Returns false if nothing runs. */
  stop(): boolean {
    this.#abort?.abort()
    return this.#abort !== null
  }

  forgetProblems(): void {
    if (this.problems.length === 0) return
    this.problems = []
    this.#host.requestUpdate()
  }

  #change(changes: Partial<RunState>): void {
    this.state = { ...this.state, ...changes }
    this.#host.requestUpdate()
  }
}
