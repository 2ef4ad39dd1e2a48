import type { RunLimits } from '../../config.ts'
import { type AnswerCall, ScriptCalls } from '../calls/script-calls.ts'
import type { RunEnding } from '../ending/read-ending.ts'
import type { RunLog } from '../ending/run-log.ts'
import { failedToRecover } from '../kill-causes.ts'
import type { Admission, AdmissionRequest } from '../pool/admission.ts'
import type { RunMessage } from '../protocol.ts'
import { runInSandbox } from './run-in-sandbox.ts'

const maxDeaths = 3

/** A run that waits for a sandbox. */
export interface AskedRun extends Omit<AdmissionRequest, 'accountCode'> {
  readonly message: Omit<RunMessage, 'type' | 'timeoutMs' | 'pausesAfterwards'>
  readonly scriptLog: RunLog
  readonly answer: AnswerCall
  /** Called when the run has a sandbox. */
  onAdmitted(): void
  /** Called when the sandbox has begun the run, which then is not refused or repeated any more. */
  onBegun(): void
}

export interface RunningParts {
  readonly limits: RunLimits
  readonly admission: Admission
}

/**
 * Runs a script when a sandbox is free. Another sandbox gets the run if the first one dies before it begins the run, or
 * sends a late message of an earlier run: no line of the script has run then. A run that has begun is never repeated.
 * After three such deaths the run ends. One in which the sandbox did not recover from the run before does not count,
 * because that run caused it. Rejects with `OVERLOADED` if no sandbox becomes free in time.
 */
export async function runAdmitted(parts: RunningParts, waiting: AskedRun): Promise<RunEnding> {
  for (let deaths = 0; ; ) {
    const { ending, hasRecovered } = await tryToRun(parts, waiting)
    if (ending.kind !== 'notBegun') return ending
    if (hasRecovered) deaths++
    if (deaths === maxDeaths) return ending
  }
}

interface Attempt {
  readonly ending: RunEnding
  /** False if the sandbox was killed because it did not recover from its earlier run. */
  readonly hasRecovered: boolean
}

async function tryToRun({ limits, admission }: RunningParts, waiting: AskedRun): Promise<Attempt> {
  const { deadline, nested, queued, signal, scriptLog, answer } = waiting
  const { accountCode } = waiting.message
  const { sandbox, release } = await admission.acquire({ accountCode, nested, queued, deadline, signal })
  try {
    if (signal.aborted) {
      // Release the sandbox first, so that the next run of the same account can take it.
      release(false)
      sandbox.vacate()
      throw signal.reason
    }
    waiting.onAdmitted()
    const message: RunMessage = {
      type: 'run',
      ...waiting.message,
      timeoutMs: Math.max(1, deadline - performance.now()),
      pausesAfterwards: waiting.message.exitsData && admission.waiting === 0,
    }
    const calls = new ScriptCalls({ limits, answer })
    const ending = await runInSandbox({
      sandbox,
      message,
      limits,
      log: scriptLog,
      calls,
      signal,
      onBegun: waiting.onBegun,
    })
    if (ending.kind === 'notBegun') release(false)
    return { ending, hasRecovered: !failedToRecover(sandbox.endReason) }
  } finally {
    release()
  }
}
