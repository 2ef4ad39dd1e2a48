import type { Claim } from '../claims.ts'
import { compareAnswers } from '../compare-answers.ts'
import { processorTime } from '../figures.ts'
import { loadCase } from '../load-case.ts'
import { measureRounds } from '../rounds.ts'
import type { Section } from '../section.ts'
import { startPeer, startRostrum } from '../server-process.ts'
import { formatRounds, ratioIn } from '../table.ts'
import { withServers } from '../with-servers.ts'

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
