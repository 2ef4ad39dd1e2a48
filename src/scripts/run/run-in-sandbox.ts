import type { RunLimits } from '../../config.ts'
import { errorWithoutPosition } from '../../domain/scripts/run.ts'
import { RunStop } from '../../errors.ts'
import type { ScriptCalls } from '../calls/script-calls.ts'
import { type RunEnding, readEnding } from '../ending/read-ending.ts'
import type { RunLog } from '../ending/run-log.ts'
import type { KillReason } from '../kill-causes.ts'
import type { SandboxProcess } from '../launch/sandbox-process.ts'
import { outOfMemory, outOfTime, type RunMessage, type ScriptError } from '../protocol.ts'
import { everyTick } from '../resources/every-tick.ts'

// Extra time in which the sandbox's own clock can end the run, before the gateway sends SIGKILL.
const graceMs = 250
// How a process ends that cannot get the memory that it needs, and what it writes before: isolated-vm, V8 or the C++
// library.
const abortion = /by (?:SIGABRT|SIGTRAP)$/
const saysOutOfMemory = /is_heap_oom|out of memory|bad_alloc/

export interface RunInSandbox {
  readonly sandbox: SandboxProcess
  readonly message: RunMessage
  readonly limits: RunLimits
  readonly log: RunLog
  readonly calls: ScriptCalls
  /** Aborted when the caller disconnects, or with a `RunStop`. */
  readonly signal: AbortSignal
  /** Called when the sandbox has begun the run. */
  onBegun(): void
}

/**
 * Runs one script in a sandbox and returns how it ended: as the sandbox reports, or by SIGKILL when it is past its
 * deadline and grace period, its processor time or its memory, or when its signal is aborted. The first cause counts.
 * The sandbox can be reused only after a clean end.
 */
export async function runInSandbox({
  sandbox,
  message,
  limits,
  log,
  calls,
  signal,
  onBegun,
}: RunInSandbox): Promise<RunEnding> {
  const { promise, resolve } = Promise.withResolvers<RunEnding>()
  const stop = (ending: RunEnding, reason: KillReason): void => {
    resolve(ending)
    sandbox.kill(reason)
  }
  const endAt = performance.now() + message.timeoutMs + graceMs
  const maxResidentBytes = residentLimit(sandbox, limits.memoryMb)
  const unwatch = everyTick(now => {
    if (now > endAt) return stop(errorEnding(outOfTime(limits.timeoutMs)), 'did not end its run in time')
    const hasComputed = sandbox.processorMs > limits.cpuMs
    if (hasComputed) stop(outOfProcessorTime(limits.cpuMs), 'used too much processor time')
    else if (sandbox.holdsMoreThan(maxResidentBytes)) stop(errorEnding(outOfMemory), 'used too much memory')
  })
  const onAbort = () => stop(endOfAborted(signal), reasonOfAborted(signal))
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
    gone(reason, hasBegun) {
      if (!hasBegun) return resolve({ kind: 'notBegun', reason })
      const hadNoMemory = abortion.test(reason) && saysOutOfMemory.test(sandbox.stderrText)
      resolve(hadNoMemory ? errorEnding(outOfMemory) : { kind: 'crashed', reason })
    },
  })
  if (!isSent) resolve({ kind: 'notBegun', reason: 'was gone before the run began' })

  try {
    return await promise
  } finally {
    unwatch()
    signal.removeEventListener('abort', onAbort)
    calls.end()
  }
}

// Returns the resident memory at which a run is ended: that of the process at rest, twice the run's memory for V8's
// collector, and 64 MiB for V8 itself. Ordinary runs end earlier, at the isolate's own limit.
function residentLimit(sandbox: SandboxProcess, memoryMb: number): number {
  const atRest = sandbox.restBytes ?? 64 * 2 ** 20
  return atRest + (2 * memoryMb + 64) * 2 ** 20
}

/** How a run ends whose signal is aborted. */
export function endOfAborted(signal: AbortSignal): RunEnding {
  return { kind: 'crashed', reason: reasonOfAborted(signal) }
}

function reasonOfAborted({ reason }: AbortSignal): KillReason {
  return reason instanceof RunStop ? reason.why : 'was ended because its caller disconnected'
}

function outOfProcessorTime(cpuMs: number): RunEnding {
  const message = `The run used more than its ${cpuMs} ms of processor time`
  return errorEnding(errorWithoutPosition('TIMEOUT', message))
}

function errorEnding(error: ScriptError): RunEnding {
  return { kind: 'error', error }
}
