import { readConfig } from '../../../src/config.ts'
import type { SandboxListener } from '../../../src/scripts/launch/current-run.ts'
import type { HeldLines } from '../../../src/scripts/launch/held-lines.ts'
import type { SandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import { SandboxProcess } from '../../../src/scripts/launch/sandbox-process.ts'
import type { RunMessage } from '../../../src/scripts/protocol.ts'
import { ComputingRuns } from '../../../src/scripts/resources/computing-runs.ts'
import type { LongRun } from '../../../src/scripts/resources/long-run.ts'

const started: SandboxProcess[] = []

export async function endSandboxes(): Promise<void> {
  for (const sandbox of started) sandbox.kill('was ended because its gateway stopped')
  await Promise.all(started.splice(0).map(sandbox => sandbox.gone))
}

/** Starts one sandbox process. `onReady` is called synchronously each time it becomes ready. */
export function startSandbox(
  command: SandboxCommand,
  onReady: (sandbox: SandboxProcess) => void = () => undefined,
  heldLines?: HeldLines,
) {
  const readiness = [Promise.withResolvers<void>()]
  const sandbox = new SandboxProcess({
    command,
    maxFrameBytes: 100_000,
    maxUnreadBytes: 100_000,
    heldLines,
    onIdle(own) {
      readiness.at(-1)?.resolve()
      readiness.push(Promise.withResolvers())
      onReady(own)
    },
    onLost: () => undefined,
    computing: new ComputingRuns<LongRun>(),
  })
  started.push(sandbox)
  return { sandbox, readyTimes: () => readiness.length - 1, nextReady: () => readiness.at(-1)?.promise }
}

/** Records the messages of a run. */
export function listen() {
  const said: Parameters<SandboxListener['message']>[0][] = []
  const reasons: string[] = []
  const over = Promise.withResolvers<void>()
  const listener: SandboxListener = {
    message(message) {
      said.push(message)
      if (message.type === 'end') over.resolve()
    },
    gone(reason) {
      reasons.push(reason)
      over.resolve()
    },
  }
  return { listener, said, reasons, over: over.promise }
}

/** The default limits of a run. */
export const { runLimits } = readConfig({ ROSTRUM_TASK_TIMEOUT_MS: '5000', ROSTRUM_TASK_CPU_MS: '5000' })

export function runMessage(source: string): RunMessage {
  return {
    type: 'run',
    compilesOnly: false,
    exitsData: false,
    pausesAfterwards: false,
    run: 'r',
    accountCode: 'alpha',
    source,
    payload: '{}',
    options: '{}',
    requestContext: '{}',
    timeoutMs: 5_000,
  }
}
