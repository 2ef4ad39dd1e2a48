import type { RunLimits } from '../../config.ts'
import type { ScriptCalls } from '../calls/script-calls.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import { errorWithoutPlace } from '../pool/error-without-place.ts'
import type { RunMessage } from '../protocol.ts'
import { type RunEnding, readEnding } from './read-ending.ts'
import type { RunLog } from './run-log.ts'

const watchEveryMs = 20
// What the sandbox's own clock is given to end the run before SIGKILL does.
const graceMs = 250

export interface RunInSandbox {
  readonly sandbox: SandboxProcess
  readonly message: RunMessage
  readonly limits: RunLimits
  readonly log: RunLog
  readonly calls: ScriptCalls
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
}

/**
 * Runs one script in one sandbox process and answers how it ended: by the sandbox's word, or by SIGKILL when its deadline
 * (with a grace), its memory or its caller's patience is over. The first cause wins. A sandbox is kept only after a clean end.
 */
export async function runInSandbox({
  sandbox,
  message,
  limits,
  log,
  calls,
  signal,
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
    if ((sandbox.residentBytes() ?? 0) > message.residentBytes)
      stop(outOfMemory, 'used more memory than it may')
  }, watchEveryMs)
  const onAbort = () =>
    stop({ kind: 'crashed', reason: 'was ended, as its caller has gone away' }, 'the caller has gone away')
  signal.addEventListener('abort', onAbort, { once: true })

  const isSent = sandbox.begin(message, {
    message(said) {
      if (said.type === 'log') return log.add(said.level, said.data, sandbox)
      if (said.type === 'cut') return log.cut(said, sandbox)
      if (said.type === 'graphql') return calls.take(said, sandbox)
      const { ending, isKept } = readEnding(said.ending, limits.resultBytes)
      if (!isKept) sandbox.kill('ended its run uncleanly')
      resolve(ending)
    },
    gone: (reason, hasBegun) => resolve({ kind: hasBegun ? 'crashed' : 'unbegun', reason }),
  })
  if (!isSent) resolve({ kind: 'unbegun', reason: 'was gone before the run began' })

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
    error: errorWithoutPlace('TIMEOUT', `The run did not end within its ${wholeMs} ms`),
  }
}

const outOfMemory: RunEnding = {
  kind: 'error',
  error: errorWithoutPlace('MEMORY', 'The run used more memory than it may'),
}
