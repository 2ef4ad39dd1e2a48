import type { Execution, Run } from '../../domain/scripts/run.ts'
import type { RunCause } from '../../domain/scripts/run-cause.ts'
import type { RunRecorder, RunRecording } from '../../domain/scripts/run-record.ts'
import type { Asking, RunSettings, Script } from '../../domain/scripts/script.ts'
import { type ErrorCode, RostrumError } from '../../errors.ts'
import type { ScriptLogShare } from '../../fairness/script-log-share.ts'
import { LateSignal } from '../../signals/late-signal.ts'
import { beginRunSpans, type RunSpans } from '../../tracing/run-span.ts'
import type { AnswerRunCall } from '../calls/answer-call.ts'
import { followCalls } from '../calls/follow-calls.ts'
import { KeptCalls } from '../calls/kept-calls.ts'
import type { RunEnding } from '../ending/read-ending.ts'
import { RunLog } from '../ending/run-log.ts'
import { toExecution } from '../ending/to-execution.ts'
import { readScript } from '../input/read-script.ts'
import { addToken, scriptOptions } from '../input/script-options.ts'
import { createRun } from './create-run.ts'
import { toHint, toLogEnd, toLogFields } from './log-fields.ts'
import { type RunningParts, runAdmitted } from './run-admitted.ts'
import { endOfAborted } from './run-in-sandbox.ts'
import type { RunTokens } from './run-tokens.ts'
import { toRunStart } from './to-run-start.ts'

// Created once, because every run aborts its signal with it at the end.
const runEnded = new RostrumError('OVERLOADED', 'The run that made this call has ended.')

/** Counts runs and sandboxes, for metrics. */
export interface RunCounts {
  /** With the words of the REST side; `code` is empty unless the outcome is `error`. */
  countRun(run: { trigger: string; outcome: string; code: string; durationMs: number }): void
  countRestart(cause: string): void
}

export interface ExecutionParts extends RunningParts {
  readonly counts?: RunCounts | undefined
  readonly runTokens: RunTokens
  readonly answerCall: AnswerRunCall
  readonly scriptLogShare: ScriptLogShare
}

export interface AskedScript {
  readonly script: Script
  readonly asking: Asking
  readonly settings: RunSettings & { readonly recorder: RunRecorder }
}

/** Executes a script, from checking the input to the answer. Rejects as `Scripts.run` says. */
export async function executeScript(parts: ExecutionParts, asked: AskedScript): Promise<Execution> {
  const startedAt = performance.now()
  const { limits, runTokens, answerCall } = parts
  const { asking, settings } = asked
  const { parentRun, follower = null } = asking
  const signal = parentRun === null ? asking.signal : AbortSignal.any([asking.signal, parentRun.signal])
  const script = readScript(asked.script, limits, asking.knownJson)
  const ended = new LateSignal()
  const run = createRun({ script, asking, settings, limits, startedAt, ended })
  const { caller } = run
  const spans = beginSpans(asking, run, script.cause)
  // The runs inside a run that begins a trace log its id too.
  const tracedLog = spans?.ownTrace ? asking.log.with({ traceId: spans.ownTrace.traceId }) : asking.log
  const log = tracedLog.with({
    task: run.name,
    run: run.id,
    ...(parentRun === null ? {} : { parentRun: parentRun.id }),
    txnID: run.transaction.txnID,
    account: caller.accountCode,
    ...toLogFields(script.cause),
  })
  const options = scriptOptions({ given: script.options, caller, transaction: run.transaction })
  asking.onRun(run)
  const { token, revoke } = runTokens.mint(run)
  const lines = parts.scriptLogShare.linesOf(caller.accountCode, log)
  const scriptLog = new RunLog({ limits, system: lines, onEntry: entry => follower?.onLog?.(entry) })
  const begunAt = Date.now()
  const calls = new KeptCalls(startedAt)
  const begin = () =>
    settings.recorder.begin(toRunStart({ run, script, options, parentRun, startedAt: begunAt }))
  // Null before the sandbox has begun the run, and after its end.
  const kept: { recording: RunRecording | null } = { recording: null }
  const { trigger } = script.cause
  let hint: string | null = null
  const onRefused = (message: string) => {
    hint ??= toHint(message)
  }
  try {
    const ending = await runAdmitted(parts, {
      message: {
        run: run.id,
        accountCode: caller.accountCode,
        source: script.sourceCode,
        compilesOnly: false,
        exitsData: script.checkExit != null,
        payload: script.payload,
        options: addToken(options, token),
        requestContext: JSON.stringify(run.transaction),
      },
      deadline: run.deadline,
      nested: parentRun !== null,
      queued: parentRun === null && settings.generation !== undefined,
      signal,
      scriptLog,
      answer: followCalls({ answerCall, follower, calls, run, log: tracedLog, onRefused }),
      onAdmitted() {
        if (spans !== null) run.span = spans.beginRun()
      },
      onBegun() {
        kept.recording = begin()
        follower?.onBegun?.(run)
      },
    })
    follower?.onEnded?.(run)
    const judged = await judgeEnding(ending, script, signal)
    const execution = toExecution({ run, ending: judged, log: scriptLog, startedAt, hint })
    const { outcome, error, durationMs } = execution
    spans?.setEnd({ outcome, errorCode: error?.code ?? null, logs: execution.logs })
    const { level, facts } = toLogEnd(execution)
    // The line of a nested run counts toward the account's share of the log, because a script causes it.
    if (parentRun === null) log.write(level, facts, 'task ended')
    else lines.write(level, { facts, message: 'task ended', bytes: JSON.stringify(facts).length })
    // A run that no sandbox began, and that was not refused, is recorded too.
    const recording = kept.recording ?? begin()
    recording.end({ ...execution, calls: calls.entries() })
    kept.recording = null
    parts.counts?.countRun({ trigger, outcome, code: error?.code ?? '', durationMs })
    return execution
  } catch (error) {
    const durationMs = performance.now() - startedAt
    if (kept.recording !== null)
      parts.counts?.countRun({ trigger, outcome: 'error', code: codeOf(error), durationMs })
    throw error
  } finally {
    spans?.end()
    kept.recording?.endWithoutResult()
    revoke()
    ended.abort(runEnded)
  }
}

function beginSpans({ span = null }: Asking, run: Run, { trigger }: RunCause): RunSpans | null {
  if (span === null) return null
  return beginRunSpans(span, { runId: run.id, txnId: run.transaction.txnID, trigger })
}

async function judgeEnding(
  ending: RunEnding,
  { checkExit = null }: Pick<Script, 'checkExit'>,
  signal: AbortSignal,
): Promise<RunEnding> {
  if (ending.kind !== 'exit' || checkExit === null) return ending
  try {
    const error = await checkExit(ending.payload)
    return error === null ? ending : { kind: 'error', error }
  } catch (error) {
    // The script has run, so its run must be kept.
    if (signal.aborted) return endOfAborted(signal)
    throw error
  }
}

// Returns the code under which a run counts that has begun and rejects, for example because the store is gone.
function codeOf(error: unknown): ErrorCode {
  return error instanceof RostrumError ? error.code : 'INTERNAL'
}
