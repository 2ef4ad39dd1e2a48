import { compareAnswers } from '../compare-answers.ts'
import { processorTime } from '../figures.ts'
import { loadCase } from '../load-case.ts'
import { measureRounds } from '../rounds.ts'
import type { Section } from '../section.ts'
import { startPeer, startRostrum } from '../server-process.ts'
import { formatRounds, ratioIn } from '../table.ts'
import { withServers } from '../with-servers.ts'

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
