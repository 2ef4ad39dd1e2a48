import { startEngine } from '../cases/engine-case.ts'
import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { medianFigures, processorTime, throughput } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

// Directus 11, a flow with one script in isolated-vm: measured before, on another machine of this kind, and quoted
// here.
const directusPerSecond = 212

const names = {
  own: 'rostrum',
  account: 'rostrum, ISOLATION=account',
  unkept: 'rostrum, ROSTRUM_RUN_COUNT=0',
  withCall: 'rostrum, with a graphql() call',
  lone: 'rostrum, 1 connection',
  document: 'rostrum, 88 KB in and out, 8 connections',
  inProcess: 'Fastify, fresh isolate in process',
  documentInProcess: 'the same in process, 88 KB in and out',
} as const

export const scripts: Section = {
  title: 'a script that logs a line and exits, 32 connections',
  run(bench) {
    const starts = [
      () => startRostrum({ ...bench, name: names.own }),
      () => startRostrum({ ...bench, name: names.account, settings: { ROSTRUM_ISOLATION: 'account' } }),
      () => startRostrum({ ...bench, name: names.unkept, settings: { ROSTRUM_RUN_COUNT: '0' } }),
      () =>
        startPeer({
          ...bench,
          name: names.inProcess,
          module: 'isolate/fresh-isolate.ts',
          nodeFlags: ['--no-node-snapshot'],
        }),
    ]
    return withServers(starts, async servers => {
      const { token } = bench.seed
      await compareAnswers({ servers, kind: 'script', token, normalize: withoutMoments })
      const load = { ...bench, traffic: 'script', connections: 32, token } as const
      const document = { traffic: 'scriptWithDocument', connections: 8 } as const
      const engine = startEngine()
      const cases = [
        ...servers.map(server => loadCase({ ...load, name: server.name, server })),
        ...servers
          .slice(0, 1)
          .flatMap(server => [
            loadCase({ ...load, name: names.withCall, server, traffic: 'scriptWithCall' }),
            loadCase({ ...load, name: names.lone, server, connections: 1 }),
            loadCase({ ...load, ...document, name: names.document, server }),
          ]),
        ...servers
          .slice(-1)
          .map(server => loadCase({ ...load, ...document, name: names.documentInProcess, server })),
        engine.caseOf('engine alone, fresh context', 'context'),
        engine.caseOf('engine alone, fresh isolate', 'isolate'),
      ]
      const rounds = await measureRounds({ ...bench, cases }).finally(() => engine.stop())
      return { tables: [formatRounds(rounds, names.own)], notes: [directusNote], claims: claimsOf(rounds) }
    })
  },
}

const directusNote = `Directus' ${directusPerSecond} runs/s are a quoted figure from another
run on a machine of this kind, not measured here. The engine alone is one thread in a loop without a server.`

function claimsOf(rounds: Awaited<ReturnType<typeof measureRounds>>) {
  const own = medianFigures(rounds.get(names.own) ?? [])
  const lone = medianFigures(rounds.get(names.lone) ?? [])
  const { own: ours, inProcess } = names
  const least = { holds: 'at least' } as const
  const most = { holds: 'at most' } as const
  return [
    {
      what: 'Scripts: runs a second, times the fresh isolate in process',
      measured: ratioIn(rounds, [ours, inProcess], throughput),
      bound: 1.5,
      ...least,
    },
    {
      what: 'Scripts: processor time a run, times the fresh isolate in process',
      measured: ratioIn(rounds, [ours, inProcess], processorTime),
      bound: 1.3,
      ...most,
    },
    {
      what: 'Scripts with 88 KB in and out: processor time a run, times the fresh isolate in process',
      measured: ratioIn(rounds, [names.document, names.documentInProcess], processorTime),
      bound: 1.3,
      ...most,
    },
    {
      what: `Scripts: runs a second, times Directus' ${directusPerSecond} (quoted)`,
      measured: own.perSecond / directusPerSecond,
      bound: 4,
      ...least,
    },
    {
      what: 'Scripts, ISOLATION=account: runs a second, times the fresh isolate in process',
      measured: ratioIn(rounds, [names.account, inProcess], throughput),
      bound: 3,
      ...least,
    },
    { what: 'Scripts: median of a lone run over HTTP', measured: lone.p50Ms, bound: 2, unit: 'ms', ...most },
    {
      what: 'Scripts: runs a second, times those of a gateway that keeps no runs',
      measured: ratioIn(rounds, [ours, names.unkept], throughput),
      bound: 0.9,
      ...least,
    },
    {
      what: 'Scripts with a graphql() call: runs a second, times those with none',
      measured: ratioIn(rounds, [names.withCall, ours], throughput),
      bound: 0.7,
      ...least,
    },
  ]
}

// Ids, times and durations differ from one run to the next.
function withoutMoments(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<guid>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"duration_ms":[\d.]+/, '"duration_ms":<ms>')
}
