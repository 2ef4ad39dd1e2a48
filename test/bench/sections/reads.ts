import { compareAnswers } from '../compare-answers.ts'
import { medianRatio, processorTime } from '../figures.ts'
import { measureRounds } from '../rounds.ts'
import type { Section } from '../section.ts'
import { startPeer, startRostrum } from '../server-process.ts'
import { formatRounds } from '../table.ts'
import { withServers } from '../with-servers.ts'

const peers = {
  'Mercurius + JIT': 'mercurius.ts',
  'Apollo Server': 'apollo.ts',
  Yoga: 'yoga.ts',
  'Fastify by hand': 'fastify.ts',
  'node:http by hand': 'raw-http.ts',
}

export const reads: Section = {
  title: 'One membership by id over GraphQL, 32 connections',
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
      const load = { traffic: 'pointRead', connections: 32, token } as const
      const rounds = await measureRounds({
        ...bench,
        cases: servers.map(server => ({ name: server.name, server, load })),
      })
      const [own = [], mercurius = [], byHand = []] = ['rostrum', 'Mercurius + JIT', 'Fastify by hand'].map(
        name => rounds.get(name),
      )
      return {
        tables: [formatRounds(rounds, 'rostrum')],
        notes: [],
        claims: [
          {
            what: 'GraphQL read, processor time, of Mercurius + JIT (aim 0.5)',
            measured: medianRatio(own, mercurius, processorTime),
            bound: 1 / 1.5,
            holds: 'at most',
          },
          {
            what: 'GraphQL read, processor time, of Fastify by hand',
            measured: medianRatio(own, byHand, processorTime),
            bound: 1.6,
            holds: 'at most',
          },
        ],
      }
    })
  },
}
