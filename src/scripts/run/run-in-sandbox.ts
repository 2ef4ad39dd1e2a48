import type { RunLimits } from '../../config.ts'
import { errorWithoutPosition } from '../../domain/scripts/run.ts'
import type { ScriptCalls } from '../calls/script-calls.ts'
import { type RunEnding, readEnding } from '../ending/read-ending.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import type { RunMessage } from '../protocol.ts'
import type { RunLog } from './run-log.ts'

const watchEveryMs = 20
// Extra time in which the sandbox's own clock can end the run, before the gateway sends SIGKILL.
const graceMs = 250

export interface RunInSandbox {
  readonly sandbox: SandboxProcess
  readonly message: RunMessage
  readonly limits: RunLimits
  readonly log: RunLog
  readonly calls: ScriptCalls
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
  /** Called when the sandbox has begun the run. */
  onBegun?(): void
}

/**
 * Runs one script in a sandbox and returns how it ended: as the sandbox reports, or by SIGKILL when it is past its
 * deadline and grace period, past its memory, or when the caller disconnects. The first cause counts. The sandbox can
 * be reused only after a clean end.
 */
export async function runInSandbox({
  sandbox,
  message,
  limits,
  log,
  calls,
  signal,
  onBegun = () => undefined,
}: RunInSandbox): Promise<RunEnding> {
  const { promise, resolve } = Promise.withResolvers<RunEnding>()
  const stop = (ending: RunEnding, reason: string): void => {
    resolve(ending)
    sandbox.kill(reason)
  }
  const timeout = () => stop(timedOut(limits.timeoutMs), 'did not end its run in time')
  const deadline = setTimeout(timeout, message.timeoutMs + graceMs)
  const watch = setInterval(() => {
    sandbox.yieldWhenLong()
    if (sandbox.holdsMoreThan(message.residentBytes)) stop(outOfMemory, 'used too much memory')
  }, watchEveryMs)
  const onAbort = () =>
    stop({ kind: 'crashed', reason: 'was ended because its caller disconnected' }, 'the caller disconnected')
  signal.addEventListener('abort', onAbort, { once: true })

  const isSent = sandbox.begin(message, {
    begun: onBegun,
    message(said) {
      if (said.type === 'log') return log.add(said.level, said.data, sandbox, said.at)
      if (said.type === 'cut') return log.cut(said, sandbox)
      if (said.type === 'graphql') return calls.take(said, sandbox)
      const { ending, isReusable } = readEnding(said.ending, limits.resultBytes)
      if (!isReusable) sandbox.kill('ended its run uncleanly')
      resolve(ending)
    },
    gone: (reason, hasBegun) => resolve({ kind: hasBegun ? 'crashed' : 'notBegun', reason }),
  })
  if (!isSent) resolve({ kind: 'notBegun', reason: 'was gone before the run began' })

  try {
    return await promise
  } finally {
    clearTimeout(deadline)
    clearInterval(watch)
    signal.removeEventListener('abort', onAbort)
    calls.end()
  }
}

function timedOut(wholeMs: number): RunEnding {
  return {
    kind: 'error',
    error: errorWithoutPosition('TIMEOUT', `The run did not end within its ${wholeMs} ms`),
  }
}

const outOfMemory: RunEnding = {
  kind: 'error',
  error: errorWithoutPosition('MEMORY', 'The run used more memory than allowed'),
}
