import type { RunLimits } from '../../config.ts'
import { RostrumError } from '../../errors.ts'
import type { AnswerRunCall } from '../calls/answer-call.ts'
import { ScriptCalls } from '../calls/script-calls.ts'
import { type CheckedTask, readTaskInput } from '../input/read-task-input.ts'
import { scriptOptions } from '../input/script-options.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { Admission } from '../pool/admission.ts'
import type { RunMessage } from '../protocol.ts'
import type { ExecuteRequest } from '../task-runner.ts'
import { createRun } from './create-run.ts'
import type { RunEnding } from './read-ending.ts'
import type { Run } from './run.ts'
import { runInSandbox } from './run-in-sandbox.ts'
import { RunLog } from './run-log.ts'
import type { RunTokens } from './run-tokens.ts'
import type { TaskExecution } from './task-execution.ts'
import { toExecution } from './to-execution.ts'

const maxAttempts = 3
// Created once, because every run ends with it.
const runEnded = new RostrumError('OVERLOADED', 'The run that made this call has ended.')

export interface ExecutionParts {
  readonly limits: RunLimits
  readonly admission: Admission
  readonly runTokens: RunTokens
  readonly answerCall: AnswerRunCall
}

/** Executes a task from input to answer. Rejects as `TaskRunner.execute` says. */
export async function executeTask(parts: ExecutionParts, request: ExecuteRequest): Promise<TaskExecution> {
  const startedAt = performance.now()
  const { limits, runTokens } = parts
  const task = readTaskInput(request.input, limits)
  const ended = new AbortController()
  const run = createRun({ request, task, limits, startedAt, signal: ended.signal })
  const log = request.log.child({
    task: run.name,
    run: run.id,
    ...(request.parentRun === null ? {} : { parentRun: request.parentRun.id }),
    txnID: run.transaction.txnID,
    account: run.caller.accountCode,
  })
  request.onRun(run)
  const token = runTokens.mint(run)
  const scriptLog = new RunLog({ limits, system: log })
  try {
    const ending = await admitAndRun(parts, { request, task, run, token, scriptLog })
    const execution = toExecution({ run, ending, log: scriptLog, startedAt })
    const { outcome, error, durationMs } = execution
    log.info({ outcome, error: error?.code, durationMs }, 'task ended')
    return execution
  } finally {
    runTokens.revoke(token)
    ended.abort(runEnded)
  }
}

interface AdmittedTask {
  readonly request: ExecuteRequest
  readonly task: CheckedTask
  readonly run: Run
  readonly token: string
  readonly scriptLog: RunLog
}

// If a sandbox dies before it begins the run, or sends a late message of the run before, no line of the script has run,
// and another sandbox gets it. A run that has begun is not repeated.
async function admitAndRun(parts: ExecutionParts, admitted: AdmittedTask): Promise<RunEnding> {
  for (let attempt = 1; ; attempt++) {
    const ending = await tryToRun(parts, admitted)
    if (ending.kind !== 'notBegun' || attempt === maxAttempts) return ending
  }
}

async function tryToRun(parts: ExecutionParts, { request, task, run, token, scriptLog }: AdmittedTask) {
  const { limits, admission, answerCall } = parts
  const { caller, parentRun } = request
  const { accountCode } = caller
  const options = scriptOptions({ given: task.options, caller, transaction: run.transaction, token })
  const signal = parentRun === null ? request.signal : AbortSignal.any([request.signal, parentRun.signal])
  const nested = parentRun !== null
  const { sandbox, release } = await admission.acquire({
    accountCode,
    nested,
    deadline: run.deadline,
    signal,
  })
  try {
    if (signal.aborted) {
      // Release first, so that the next run of the same account can take this sandbox.
      release()
      sandbox.vacate()
      throw signal.reason
    }
    const calls = new ScriptCalls({
      limits,
      answer: call => answerCall({ ...call, run, log: request.log }),
    })
    const message: RunMessage = {
      type: 'run',
      run: run.id,
      accountCode,
      source: task.source,
      payload: task.payload,
      options,
      requestContext: JSON.stringify(run.transaction),
      timeoutMs: Math.max(1, run.deadline - performance.now()),
      residentBytes: residentLimit(sandbox, limits.memoryMb),
    }
    return await runInSandbox({ sandbox, message, limits, log: scriptLog, calls, signal })
  } finally {
    release()
  }
}

// The resident memory at which a run is ended: the process at rest, twice the run's memory for V8's collector, and 64
// MiB for V8 itself. Ordinary runs end earlier, at the isolate's limit.
function residentLimit(sandbox: SandboxProcess, memoryMb: number): number {
  const atRest = sandbox.residentBytes() ?? 64 * 2 ** 20
  return atRest + (2 * memoryMb + 64) * 2 ** 20
}
