import type { RunError } from '../../domain/scripts/run.ts'
import { newGuid } from '../../guid.ts'
import { RunLog } from '../ending/run-log.ts'
import { outcomeOf } from '../ending/to-execution.ts'
import { refuseLongSource } from '../input/read-script.ts'
import type { CompileRequest } from '../script-runner.ts'
import { type AskedRun, type RunningParts, runAdmitted } from './run-admitted.ts'

/**
 * Compiles a source in a sandbox without running it. If the sandbox dies, another one compiles it once more, because
 * nothing of the source has run: the error of a sandbox that something else ended says nothing about the source.
 * Rejects as `ScriptRunner.compile` says.
 */
export async function compileSource(
  parts: RunningParts,
  { sourceCode, accountCode, parentRun, signal }: CompileRequest,
): Promise<RunError | null> {
  const { limits } = parts
  refuseLongSource(sourceCode, limits)
  const asked: AskedRun = {
    message: {
      run: newGuid(),
      accountCode,
      source: sourceCode,
      compilesOnly: true,
      exitsData: false,
      payload: 'null',
      options: '{}',
      requestContext: '{}',
    },
    deadline: Math.min(performance.now() + limits.timeoutMs, parentRun?.deadline ?? Number.POSITIVE_INFINITY),
    nested: parentRun !== null,
    signal,
    // A source that is only compiled never runs, so only a compromised sandbox logs or calls here. The log has no room:
    // its first entry kills the sandbox.
    scriptLog: new RunLog({ limits: { logEntries: 0, logBytes: 0 }, system: { write: () => undefined } }),
    answer: () => Promise.reject(new Error('A source that is compiled makes no calls.')),
    onAdmitted: () => undefined,
    onBegun: () => undefined,
  }
  const first = await runAdmitted(parts, asked)
  const ending = first.kind === 'crashed' ? await runAdmitted(parts, asked) : first
  // A client that disconnects ends the compilation, which says nothing about the source.
  signal.throwIfAborted()
  return outcomeOf(ending).error
}
