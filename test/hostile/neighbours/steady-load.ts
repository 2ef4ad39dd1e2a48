import { onTestFinished } from 'vitest'
import { addMembership } from '../../server/clients/memberships.ts'
import type { TestServer } from '../../server/gateways/start-server.ts'

export type Kind = 'run' | 'read' | 'write'

export interface LoadReport {
  readonly failures: readonly string[]
  /** Milliseconds of each answer, sorted. */
  readonly latencies: Readonly<Record<Kind, readonly number[]>>
}

const betweenRequestsMs = 20

/**
 * An ordinary customer: a run, a read and a write in turn, one every 20 ms whether or not the last has been answered,
 * so that a server that stands still is seen in every request that it keeps waiting. `stop` waits for the answers still
 * to come.
 */
export async function startSteadyLoad(server: TestServer, token: string) {
  const { id } = await addMembership(server, {}, token)
  const requests: Readonly<Record<Kind, () => Promise<void>>> = {
    async run() {
      const sourceCode = 'let total = 0; for (const n of payload.list) total += n; exit({ total })'
      const answer = await server.execute({ sourceCode, inputDocument: '{"list":[1,2,3]}' }, { token })
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`)
    },
    async read() {
      const answer = await server.rest('GET', `/platform/team_memberships/${id}`, { token })
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 300)}`)
    },
    write: async () => void (await addMembership(server, {}, token)),
  }
  const kinds = Object.keys(requests) as Kind[]
  const latencies: Record<Kind, number[]> = { run: [], read: [], write: [] }
  const failures: string[] = []
  const pending: Promise<void>[] = []

  async function send(kind: Kind): Promise<void> {
    const started = performance.now()
    try {
      await requests[kind]()
      latencies[kind].push(performance.now() - started)
    } catch (error) {
      failures.push(`${kind}: ${(error as Error).message}`)
    }
  }

  const timer = setInterval(() => {
    pending.push(send(kinds[pending.length % kinds.length] ?? 'read'))
  }, betweenRequestsMs)

  onTestFinished(() => clearInterval(timer))
  return async function stop(): Promise<LoadReport> {
    clearInterval(timer)
    await Promise.all(pending)
    for (const kind of kinds) latencies[kind].sort((a, b) => a - b)
    return { failures, latencies }
  }
}

/** The latency that `share` of them do not exceed, in ms. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
