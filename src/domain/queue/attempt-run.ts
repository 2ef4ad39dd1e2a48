import type { BoundLog } from '../../bound-log.ts'
import { callerOfTrigger } from '../../credentials/caller.ts'
import { hasCode, RostrumError } from '../../errors.ts'
import { cutText } from '../../json/surrogates.ts'
import type { SpanParent } from '../../tracing/span.ts'
import type { RunnableFunction } from '../functions/function-store.ts'
import {
  type CheckLease,
  errorWithoutPosition as errorOf,
  maxGeneration,
  type RunError,
} from '../scripts/run.ts'
import { makeCause } from '../scripts/run-cause.ts'
import type { RunRecorder } from '../scripts/run-record.ts'
import type { Asking, Script, Scripts } from '../scripts/script.ts'
import type { ClaimedRun, QueuedEnd, RetryAfterMs } from './queue-store.ts'

/** What every attempt runs with. */
export interface AttemptParts {
  readonly scripts: Scripts
  readonly log: BoundLog
  /** Begins the trace of each run; null if no traces are sent. */
  readonly tracing: SpanParent | null
  /** Hides the tokens of runs: the store keeps the message and the error for others to read. */
  readonly hideSecrets: (text: string) => string
}

interface Attempt extends AttemptParts {
  readonly run: ClaimedRun
  /** Finds the live version of its function. */
  readonly findLive: () => Promise<RunnableFunction | null>
  readonly retryAfterMs: RetryAfterMs
  readonly recorder: RunRecorder
  /** Aborted when the gateway stops, or another one took the run over. */
  readonly signal: AbortSignal
  readonly checkLease: CheckLease
}

/** Runs the live version of a queued run's function once, and returns what becomes of the run (contract, section 8). */
export async function attemptRun(attempt: Attempt): Promise<QueuedEnd['end']> {
  const { run, recorder, signal, checkLease } = attempt
  let isTooDeep = false
  const onTooDeep = () => {
    isTooDeep = true
  }
  try {
    const live = await attempt.findLive()
    if (live === null) return { kind: 'dead', error: errorOf('RUNTIME', 'Its function has been removed') }
    signal.throwIfAborted()
    const generation = { number: numberOf(run), onTooDeep }
    const settings = { recorder, generation, checkLease }
    const running = attempt.scripts.run(toScript(run, live), askFor(attempt), settings)
    const { outcome, message, error } = await running
    // A run that has reached its end counts, whatever came after.
    if (signal.aborted && outcome === 'error') return { kind: 'released' }
    if (isTooDeep) return { kind: 'dead', error: errorOf('LIMIT', tooDeep) }
    if (outcome === 'exit') return { kind: 'done' }
    if (outcome === 'fail') {
      const said = shorten(attempt.hideSecrets(message ?? ''))
      return { kind: 'dead', error: errorOf('RUNTIME', said), isFail: true }
    }
    return again(attempt, error === null ? errorOf('CRASHED', withoutOutcome) : toKeptError(attempt, error))
  } catch (error) {
    if (signal.aborted || hasCode(error, 'OVERLOADED')) return { kind: 'released' }
    return judgeRefusal(attempt, error)
  }
}

function judgeRefusal(attempt: Attempt, error: unknown): QueuedEnd['end'] {
  const message = error instanceof RostrumError ? error.message : 'The gateway failed'
  // The input never changes, so every attempt would be refused.
  if (hasCode(error, 'BAD_USER_INPUT')) {
    const refused = `The input of queued run \`${attempt.run.id}\` cannot be read: ${message}`
    return { kind: 'dead', error: errorOf('CRASHED', shorten(refused)) }
  }
  return again(attempt, errorOf('RUNTIME', message))
}

const withoutOutcome = 'The run ended without an outcome'
const tooDeep = `One of its saves would have queued hooks after ${maxGeneration} saves in a row, the maximum`

// Maximum length of the last error, which a page of queued runs reads as a whole. The run of the attempt stores all of
// it.
const maxErrorCharacters = 4_096

const shorten = (text: string) => cutText(text, maxErrorCharacters)

function toKeptError({ hideSecrets }: Attempt, error: RunError): RunError {
  const { message, stack, hint = null } = error
  return {
    ...error,
    message: shorten(hideSecrets(message)),
    stack: stack && shorten(hideSecrets(stack)),
    hint: hint && hideSecrets(hint),
  }
}

function again({ run, retryAfterMs }: Attempt, error: RunError): QueuedEnd['end'] {
  const afterMs = retryAfterMs(run.attempt)
  return afterMs === null ? { kind: 'dead', error } : { kind: 'again', afterMs, error }
}

// Saves made by a run of another trigger start a new chain: generation 0.
function numberOf({ trigger, generation }: ClaimedRun): number {
  return trigger === 'hook' ? generation + 1 : 0
}

function askFor({ run, log, signal, tracing }: Attempt): Asking {
  const caller = callerOfTrigger({ ...run, rightsOf: run.trigger })
  return { caller, parentRun: null, signal, log, onRun: () => undefined, span: tracing }
}

function toScript(run: ClaimedRun, { sourceCode, id, name, hash }: RunnableFunction): Script {
  const { trigger, event, caseId, caseVersion, attempt, txnId } = run
  return {
    cause: makeCause({
      trigger,
      event,
      function: { id, name, hash },
      case: caseId === null ? null : { id: caseId, version: caseVersion },
      attempt,
      txnId,
      queuedRunId: run.id,
    }),
    name: run.name,
    sourceCode,
    payload: run.input,
    options: run.options,
    caseTypeCode: run.caseTypeCode,
    rights: 'caller',
  }
}
