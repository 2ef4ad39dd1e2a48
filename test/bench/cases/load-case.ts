import type { Case } from '../figures/rounds.ts'
import type { Plan } from '../load/plan.ts'
import type { Generator } from '../load/start-generator.ts'
import { processorTimeOf } from '../servers/processor-time.ts'
import type { ServerProcess } from '../servers/server-process.ts'

interface LoadCaseParts extends Pick<Plan, 'traffic' | 'connections' | 'token'> {
  readonly name: string
  readonly server: ServerProcess
  /** Those that share the load with it. */
  readonly replicas?: readonly ServerProcess[]
  readonly generator: Generator
}

// The first ones of each kind were sent when the answers were compared.
const firstRequest = 1_000

/** A load on a server; requests are numbered on from one stretch to the next, so that no write is sent twice. */
export function loadCase({ name, server, replicas = [], generator, ...load }: LoadCaseParts): Case {
  const servers = [server, ...replicas]
  const ports = servers.map(({ port }) => port)
  let from = firstRequest
  return {
    name,
    async measure(seconds) {
      const before = timeOf(servers)
      const result = await generator.run({ ...load, ports, from, seconds })
      const after = timeOf(servers)
      from += result.requests
      return {
        ...result,
        microseconds: before === null || after === null ? null : (after - before) / result.requests,
        perSecond: result.requests / result.seconds,
      }
    },
  }
}

function timeOf(servers: readonly ServerProcess[]): number | null {
  const times = servers.map(({ pid }) => processorTimeOf(pid))
  return times.includes(null) ? null : times.reduce((sum: number, time) => sum + (time ?? 0), 0)
}
