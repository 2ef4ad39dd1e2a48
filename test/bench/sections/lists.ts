import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import type { Claim } from '../figures/claims.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { processorTime } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const loads = [
  { traffic: 'list', what: '1,000 ids' },
  { traffic: 'nestedList', what: '100 with user and team' },
] as const

export const lists: Section = {
  title: 'teamMemberships(ids) over GraphQL, 32 connections',
  run(bench) {
    const starts = [
      () => startRostrum({ ...bench, name: 'rostrum' }),
      () => startPeer({ ...bench, name: 'Mercurius + JIT', module: 'mercurius.ts' }),
    ]
    return withServers(starts, async servers => {
      const { token } = bench.seed
      const tables: string[] = []
      const claims: Claim[] = []
      for (const { traffic, what } of loads) {
        await compareAnswers({ servers, kind: traffic, token })
        const cases = servers.map(server =>
          loadCase({ ...bench, name: `${server.name}, ${what}`, server, traffic, connections: 32, token }),
        )
        const rounds = await measureRounds({ ...bench, cases })
        tables.push(formatRounds(rounds, `rostrum, ${what}`))
        claims.push({
          what: `List of ${what}: processor time, times Mercurius + JIT`,
          measured: ratioIn(rounds, [`rostrum, ${what}`, `Mercurius + JIT, ${what}`], processorTime),
          bound: 0.5,
          holds: 'at most',
        })
      }
      return { tables, notes: [], claims }
    })
  },
}
