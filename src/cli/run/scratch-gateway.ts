import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import type { App } from '../../app.ts'
import type { Environment } from '../../config.ts'
import { importQuickly } from '../../import-quickly.ts'
import type { StandIn } from '../../scripts/calls/answer-call.ts'
import { createPool } from '../../scripts/pool/create-pool.ts'
import type { CommandCall } from '../frame/command.ts'
import { readSettings } from '../frame/read-settings.ts'
import type { ChosenGateway } from '../gateway/choose-gateway.ts'

export interface ScratchGateway extends ChosenGateway {
  /** Ends the gateway before the call ends. */
  close(): Promise<void>
}

const host = '127.0.0.1'

/** The longest wait for a sandbox of this machine, in ms: a busy machine boots one slowly, and nobody else uses it. */
export const maxBootMs = '20000'

/**
 * Starts a gateway in this process, on an empty store in memory with the account `demo`. It listens on a free port of
 * this machine, for a token that nobody else knows. All of it is gone at the end of the call.
 */
export async function startScratchGateway(
  { environment, atEnd }: Pick<CommandCall, 'environment' | 'atEnd'>,
  standIn?: StandIn,
): Promise<ScratchGateway> {
  const token = `rst_${randomBytes(24).toString('base64url')}`
  const settings = {
    ...pickLimits(environment),
    HOST: host,
    DATABASE_URL: 'sqlite::memory:',
    ROSTRUM_ADMIN_TOKEN: token,
    ROSTRUM_WARM_SANDBOXES: '1',
    ROSTRUM_QUEUE_WAIT_MS: maxBootMs,
  }
  bypassProxy()
  const app = await createScratchApp(settings, standIn)
  const close = atEnd(() => app.close())
  const [, url] = await Promise.all([app.start(), app.server.listen({ host, port: 0 }), app.prepare()])
  return { url, token, close }
}

// With NODE_USE_ENV_PROXY, `fetch` asks this machine too through the proxy of HTTP_PROXY, unless NO_PROXY names it.
// The lower-case name goes first.
function bypassProxy(): void {
  const before = process.env.no_proxy ?? process.env.NO_PROXY ?? ''
  if (before.split(/[\s,]+/).includes(host)) return
  process.env.no_proxy = before === '' ? host : `${before},${host}`
}

// The sandbox boots while the modules of the gateway are loaded, because each takes a third of a second.
async function createScratchApp(settings: Environment, standIn: StandIn | undefined): Promise<App> {
  const log = pino({ level: 'silent' })
  const config = readSettings(settings)
  const pool = createPool({ config, log })
  try {
    pool.start()
    const { createApp } = await importQuickly(() => import('../../app.ts'))
    return await createApp({ config, log, pool, ...(standIn && { standIn }) })
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** Returns the settings that limit runs. They apply here as in a gateway; those of its store do not. */
export function pickLimits(environment: Environment): Environment {
  const names = ['ROSTRUM_GRAPHQL_HOSTS', 'ROSTRUM_ISOLATION', 'ROSTRUM_JIT', 'ROSTRUM_BODY_BYTES']
  const isLimit = (name: string) => name.startsWith('ROSTRUM_TASK_') || names.includes(name)
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isLimit(name)))
}
