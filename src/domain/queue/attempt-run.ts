import { RostrumError } from '../../errors.ts'
import type { RunnableFunction } from '../functions/function-store.ts'
import { endpointCause, type RunCause } from '../runs/run-cause.ts'
import type { RunError, RunOutcome, RunRecorder } from '../runs/run-record.ts'
import type { ClaimedRun, QueuedEnd, RetryAfterMs } from './queue-store.ts'

/** A script with the input of a queued run. */
export interface QueuedScript {
  readonly run: ClaimedRun
  readonly sourceCode: string
  readonly cause: RunCause
  /** The generation of the saves that the script makes. */
  readonly generation: number
  readonly recorder: RunRecorder
  /** Aborted when the gateway stops, or another one took the run over. */
  readonly signal: AbortSignal
  /** Called when a save of the script was refused because it would go too far. */
  onTooDeep(): void
}

/** Runs a script with the scopes of the queued run alone. Rejects with `OVERLOADED` if no sandbox is free. */
export type ExecuteQueued = (script: QueuedScript) => Promise<{
  readonly outcome: RunOutcome
  readonly message: string | null
  readonly error: RunError | null
}>

interface Attempt {
  readonly run: ClaimedRun
  /** Finds the live version of its function. */
  readonly findLive: () => Promise<RunnableFunction | null>
  readonly execute: ExecuteQueued
  readonly retryAfterMs: RetryAfterMs
  readonly recorder: RunRecorder
  readonly signal: AbortSignal
}

/** Runs the live version of a queued run's function once, and gives what becomes of the run (contract, section 8). */
export async function attemptRun(attempt: Attempt): Promise<QueuedEnd['end']> {
  const { run, signal } = attempt
  let isTooDeep = false
  const onTooDeep = () => {
    isTooDeep = true
  }
  try {
    const live = await attempt.findLive()
    if (live === null) return { kind: 'dead', error: errorOf('RUNTIME', 'Its function has been removed') }
    signal.throwIfAborted()
    const { outcome, message, error } = await attempt.execute({
      ...toScript(run, live),
      ...attempt,
      onTooDeep,
    })
    // One that has reached its end counts, whatever came after.
    if (signal.aborted && outcome === 'error') return { kind: 'released' }
    if (isTooDeep) return { kind: 'dead', error: errorOf('LIMIT', tooDeep) }
    if (outcome === 'exit') return { kind: 'done' }
    if (outcome === 'fail') {
      return { kind: 'dead', error: errorOf('RUNTIME', shorten(message ?? '')), isFail: true }
    }
    return again(attempt, error === null ? errorOf('CRASHED', withoutOutcome) : shortenError(error))
  } catch (error) {
    if (signal.aborted || (error instanceof RostrumError && error.code === 'OVERLOADED')) {
      return { kind: 'released' }
    }
    return judgeRefusal(attempt, error)
  }
}

function judgeRefusal(attempt: Attempt, error: unknown): QueuedEnd['end'] {
  const message = error instanceof RostrumError ? error.message : 'The gateway failed'
  // The input is frozen, so it would be refused each time.
  if (error instanceof RostrumError && error.code === 'BAD_USER_INPUT') {
    const refused = `The input of queued run \`${attempt.run.id}\` cannot be read: ${message}`
    return { kind: 'dead', error: errorOf('CRASHED', shorten(refused)) }
  }
  return again(attempt, errorOf('RUNTIME', message))
}

const withoutOutcome = 'The run ended without an outcome'
const tooDeep = 'It saved a case whose hooks would have gone too far: generation 8 queues no more runs'

// Of the last error, which a page of queued runs reads as a whole. The run of the attempt has all of it.
const maxErrorCharacters = 4_096

const shorten = (text: string) => text.slice(0, maxErrorCharacters)

function shortenError({ message, stack, ...error }: RunError): RunError {
  return { ...error, message: shorten(message), stack: stack && shorten(stack) }
}

function again({ run, retryAfterMs }: Attempt, error: RunError): QueuedEnd['end'] {
  const afterMs = retryAfterMs(run.attempt)
  return afterMs === null ? { kind: 'dead', error } : { kind: 'again', afterMs, error }
}

function toScript(run: ClaimedRun, { sourceCode, id, name, hash }: RunnableFunction) {
  const { trigger, event, caseId, caseVersion, attempt, txnId, generation } = run
  return {
    run,
    sourceCode,
    // What a webhook causes is the first save of its transaction.
    generation: trigger === 'hook' ? generation + 1 : 0,
    cause: {
      ...endpointCause,
      trigger,
      event,
      function: { id, name, hash },
      case: caseId === null ? null : { id: caseId, version: caseVersion },
      attempt,
      txnId,
      queuedRunId: run.id,
    },
  }
}

function errorOf(code: string, message: string): RunError {
  return { code, message, line: null, column: null, stack: null }
}
