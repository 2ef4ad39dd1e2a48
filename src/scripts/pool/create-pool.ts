import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { sandboxCommand } from '../launch/sandbox-command.ts'
import { maxFrameBytes, maxUnreadBytesOf } from '../protocol.ts'
import { SandboxPool } from './sandbox-pool.ts'

interface PoolParts {
  readonly config: Pick<Config, 'sandboxes' | 'runLimits'>
  readonly log: Logger
  readonly onReplaced?: ((cause: string) => void) | undefined
}

/** Creates the sandboxes of a gateway from its settings. None is started. */
export function createPool({ config, log, onReplaced }: PoolParts): SandboxPool {
  const { sandboxes, runLimits: limits } = config
  return new SandboxPool({
    command: sandboxCommand({ limits, isolation: sandboxes.isolation }, sandboxes.jit),
    maxFrameBytes: maxFrameBytes(limits),
    maxUnreadBytes: maxUnreadBytesOf(limits),
    warm: sandboxes.warm,
    max: sandboxes.max,
    log,
    onReplaced,
  })
}
