import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { throughput } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import type { TrafficKind } from '../load/traffic.ts'
import { startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const peerName = 'a transaction each'

const loads = [
  { kind: 'restAdd', what: 'REST create', hasPeer: true },
  { kind: 'graphqlAdd', what: 'GraphQL create', hasPeer: false },
  { kind: 'restMove', what: 'REST move', hasPeer: true },
  { kind: 'graphqlMove', what: 'GraphQL move', hasPeer: false },
] as const satisfies { kind: TrafficKind; what: string; hasPeer: boolean }[]

export const writes: Section = {
  title: 'durable writes (synchronous=FULL, answered after the commit), 64 connections',
  run(bench) {
    const starts = [
      () => startRostrum({ ...bench, name: 'rostrum' }),
      () => startPeer({ ...bench, name: peerName, module: 'fastify.ts' }),
    ]
    return withServers(starts, async servers => {
      const { token } = bench.seed
      for (const { kind, hasPeer } of loads) {
        await compareAnswers({ servers: hasPeer ? servers : servers.slice(0, 1), kind, token })
      }
      const cases = loads.flatMap(({ kind, what, hasPeer }) =>
        (hasPeer ? servers : servers.slice(0, 1)).map(server =>
          loadCase({
            ...bench,
            name: `${server.name}, ${what}`,
            server,
            traffic: kind,
            connections: 64,
            token,
          }),
        ),
      )
      const rounds = await measureRounds({ ...bench, cases })
      const claim = (ours: string, theirs: string) => ({
        what: `Durable ${ours}: requests a second, times ${peerName}`,
        measured: ratioIn(rounds, [`rostrum, ${ours}`, `${peerName}, ${theirs}`], throughput),
        bound: 5,
        holds: 'at least' as const,
      })
      return {
        tables: [formatRounds(rounds, 'rostrum, REST create')],
        notes: [`\`${peerName}\`: Fastify + better-sqlite3, the same statements, one commit a request.`],
        claims: [
          claim('REST create', 'REST create'),
          claim('GraphQL create', 'REST create'),
          claim('REST move', 'REST move'),
          claim('GraphQL move', 'REST move'),
        ],
      }
    })
  },
}
