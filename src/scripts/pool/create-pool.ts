import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { sandboxCommand } from '../launch/sandbox-command.ts'
import type { OutboundWaits } from '../outbound/outbound-waits.ts'
import { maxFrameBytes, maxUnreadBytesOf } from '../protocol.ts'
import { Admission } from './admission.ts'
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

interface AdmissionParts {
  readonly config: Pick<Config, 'sandboxes' | 'queue'>
  readonly pool: SandboxPool
  readonly outboundWaits: OutboundWaits
}

/** Creates the admission to these sandboxes from the settings of a gateway. */
export function createAdmission({ config, pool, outboundWaits }: AdmissionParts): Admission {
  const limits = { ...config.queue, sandboxes: config.sandboxes.max }
  return new Admission({ pool, outboundWaits, limits })
}
