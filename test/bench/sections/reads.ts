import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { processorTime } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const peers = {
  'Mercurius + JIT': 'mercurius.ts',
  Yoga: 'yoga.ts',
  'Fastify by hand': 'fastify.ts',
  'node:http by hand': 'raw-http.ts',
}

export const reads: Section = {
  title: 'one membership by id over GraphQL, 32 connections',
  run(bench) {
    const starts = [
      () => startRostrum({ ...bench, name: 'rostrum' }),
      ...Object.entries(peers).map(
        ([name, module]) =>
          () =>
            startPeer({ ...bench, name, module }),
      ),
    ]
    return withServers(starts, async servers => {
      const { token } = bench.seed
      await compareAnswers({ servers, kind: 'pointRead', token })
      const cases = servers.map(server =>
        loadCase({ ...bench, name: server.name, server, traffic: 'pointRead', connections: 32, token }),
      )
      const rounds = await measureRounds({ ...bench, cases })
      return {
        tables: [formatRounds(rounds, 'rostrum')],
        notes: [],
        claims: [
          {
            what: 'GraphQL read: processor time, times Mercurius + JIT (aim 0.5)',
            measured: ratioIn(rounds, ['rostrum', 'Mercurius + JIT'], processorTime),
            bound: 1 / 1.5,
            holds: 'at most',
          },
          {
            what: 'GraphQL read: processor time, times Fastify by hand',
            measured: ratioIn(rounds, ['rostrum', 'Fastify by hand'], processorTime),
            bound: 1.6,
            holds: 'at most',
          },
        ],
      }
    })
  },
}
