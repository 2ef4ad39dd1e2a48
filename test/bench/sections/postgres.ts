import { loadCase } from '../cases/load-case.ts'
import type { Bench, Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { processorTime } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import type { TrafficKind } from '../load/traffic.ts'
import { type SeededPostgres, seedPostgres } from '../servers/seed-postgres.ts'
import { type ServerProcess, startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const loads = [
  { kind: 'pointRead', what: 'GraphQL read', connections: 64, bound: 1.6 },
  { kind: 'restRead', what: 'REST read', connections: 64, bound: 1.3 },
  { kind: 'list', what: '1,000 ids', connections: 32, bound: 1 },
  { kind: 'restAdd', what: 'REST create', connections: 64, bound: 1 },
] as const satisfies { kind: TrafficKind; what: string; connections: number; bound: number }[]

const names = {
  one: 'PostgreSQL',
  two: 'PostgreSQL, 2 replicas',
  sqlite: 'SQLite',
  peer: 'Fastify + postgres by hand',
} as const

// Each load has a table of four contenders: shorter rounds than elsewhere, and fewer.
const maxRounds = 4

export const postgres: Section = {
  title:
    'the gateway on PostgreSQL, one process and two, beside SQLite and beside Fastify + postgres by hand',
  async run(bench) {
    const database = await seedPostgres(bench.seed)
    try {
      return await withServers(await startsOf(bench, database), servers => measure(bench, servers))
    } finally {
      await database.stop()
    }
  },
}

async function startsOf(bench: Bench, database: SeededPostgres) {
  const [one, two, peer] = [
    await database.createDatabase('one'),
    await database.createDatabase('two'),
    await database.createDatabase('peer'),
  ]
  const startOn = (name: string, url: string) => () =>
    startRostrum({ ...bench, name, settings: { DATABASE_URL: url } })
  return [
    startOn(names.one, one),
    startOn(names.two, two),
    startOn(`${names.two}, the other`, two),
    () => startRostrum({ ...bench, name: names.sqlite }),
    () => startPeer({ ...bench, name: names.peer, module: 'postgres/fastify-postgres.ts', database: peer }),
  ]
}

async function measure(bench: Bench, servers: readonly ServerProcess[]) {
  const { token } = bench.seed
  const [replica, contenders] = [servers.slice(2, 3), servers.toSpliced(2, 1)]
  // What one replica adds, the other has: it is asked for what changes nothing.
  for (const { kind } of loads)
    await compareAnswers({ servers: kind === 'restAdd' ? contenders : servers, kind, token })
  const parts = { ...bench, rounds: Math.min(maxRounds, bench.rounds) }
  const tables: string[] = []
  const claims = []
  for (const { kind, what, connections, bound } of loads) {
    const cases = contenders.map(server =>
      loadCase({
        ...bench,
        name: server.name,
        server,
        replicas: server.name === names.two ? replica : [],
        traffic: kind,
        connections,
        token,
      }),
    )
    const rounds = await measureRounds({ ...parts, cases })
    tables.push(`${what}, ${connections} connections`, formatRounds(rounds, names.one))
    claims.push({
      what: `PostgreSQL, ${what}: processor time, times ${names.peer}`,
      measured: ratioIn(rounds, [names.one, names.peer], processorTime),
      bound,
      holds: 'at most' as const,
    })
  }
  return { tables, notes: [], claims }
}
