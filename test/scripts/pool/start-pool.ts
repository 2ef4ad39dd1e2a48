import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach } from 'vitest'
import type { SandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import { SandboxPool } from '../../../src/scripts/pool/sandbox-pool.ts'
import { listen, runMessage } from '../launch/start-sandbox.ts'

/** The pools to close after the test. */
export const pools: SandboxPool[] = []

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

interface Settings {
  readonly command: SandboxCommand
  readonly warm: number
  readonly max: number
  readonly maxRuns?: number
  readonly shrinkMs?: number
}

/** A pool with the lines of its log, and the causes for which it replaced sandboxes. */
export function startPool(settings: Settings) {
  const lines: Record<string, unknown>[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const limits = { maxFrameBytes: 100_000, maxUnreadBytes: 100_000 }
  const causes: string[] = []
  const onReplaced = (cause: string) => void causes.push(cause)
  const pool = new SandboxPool({ ...settings, ...limits, onReplaced, log: pino(stream) })
  pools.push(pool)
  pool.start()
  return { pool, lines, causes }
}

/** Runs a script in an idle sandbox, until its end. */
export async function serve(pool: SandboxPool): Promise<void> {
  const { listener, over } = listen()
  const sandbox = pool.takeIdle('a')
  sandbox?.occupy()
  sandbox?.begin(runMessage('exit(1)'), listener)
  await over
}
