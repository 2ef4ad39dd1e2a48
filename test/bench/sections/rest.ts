import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { processorTime } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

export const rest: Section = {
  title: 'GET /platform/team_memberships/{id}, 32 connections',
  run(bench) {
    const starts = [
      () => startRostrum({ ...bench, name: 'rostrum' }),
      () => startPeer({ ...bench, name: 'Fastify by hand', module: 'fastify.ts' }),
      () => startPeer({ ...bench, name: 'node:http by hand', module: 'raw-http.ts' }),
    ]
    return withServers(starts, async servers => {
      const { token } = bench.seed
      await compareAnswers({ servers, kind: 'restRead', token })
      const cases = servers.map(server =>
        loadCase({ ...bench, name: server.name, server, traffic: 'restRead', connections: 32, token }),
      )
      const rounds = await measureRounds({ ...bench, cases })
      return {
        tables: [formatRounds(rounds, 'rostrum')],
        notes: [],
        claims: [
          {
            what: 'REST read: processor time, times Fastify by hand',
            measured: ratioIn(rounds, ['rostrum', 'Fastify by hand'], processorTime),
            bound: 1.3,
            holds: 'at most',
          },
        ],
      }
    })
  },
}
