import { setTimeout as sleep } from 'node:timers/promises'
import { addMembership } from '../../server/clients/memberships.ts'
import type { TestServer } from '../../server/gateways/start-server.ts'
import { mainThreadMsOf } from '../neighbours/processor-time.ts'

const readEachMs = 20
const runEachMs = 100

export interface NeighbourReport {
  /** Every answer but those that were as they must be. */
  readonly refusals: readonly string[]
  readonly requests: number
  readonly slowestReadMs: number
  /** The most that the gateway's main thread computed while one of the requests waited. */
  readonly longestHoldMs: number
  readonly slowestRunMs: number
}

/**
 * An ordinary customer beside an attack: a read every 20 ms and a run every 100 ms, whether or not the last has been
 * answered. Gives what ends it, which waits for the answers still to come.
 */
export async function startNeighbour(server: TestServer, token: string) {
  const { id } = await addMembership(server, {}, token)
  const refusals: string[] = []
  const slowest = { read: 0, run: 0 }
  let longestHoldMs = 0
  let requests = 0

  async function measure(kind: keyof typeof slowest, send: () => Promise<{ status: number; text: string }>) {
    const startedAt = performance.now()
    const computedBefore = mainThreadMsOf(server.pid)
    const { status, text } = await send().catch((error: Error) => ({
      status: 0,
      text: String(error.cause ?? error),
    }))
    slowest[kind] = Math.max(slowest[kind], performance.now() - startedAt)
    longestHoldMs = Math.max(longestHoldMs, mainThreadMsOf(server.pid) - computedBefore)
    requests += 1
    if (status !== 200) refusals.push(`${kind} ${status} ${text.slice(0, 200)}`)
  }

  const ask = {
    read: () => server.graphql(`{teamMembership(id:${id}){userId teamId}}`, {}, token),
    run: () => server.execute('exit(payload)', { token }),
  }
  // What is loaded once is loaded before.
  for (const kind of ['read', 'run'] as const) await ask[kind]()
  // Streams and GET requests need modules that load in the first quiet second.
  await server.rest('GET', '/graphql?query={__typename}', { token })
  const pending = new Set<Promise<void>>()
  const timers = Object.entries({ read: readEachMs, run: runEachMs }).map(([name, everyMs]) => {
    const kind = name as keyof typeof slowest
    return setInterval(() => {
      const sent = measure(kind, ask[kind]).finally(() => pending.delete(sent))
      pending.add(sent)
    }, everyMs)
  })

  return async function stop(): Promise<NeighbourReport> {
    await sleep(200)
    for (const timer of timers) clearInterval(timer)
    await Promise.all(pending)
    return {
      refusals,
      requests,
      longestHoldMs,
      slowestReadMs: slowest.read,
      slowestRunMs: slowest.run,
    }
  }
}
