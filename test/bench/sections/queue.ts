import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, Report, Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { hooksOfFanned, sampleScript } from '../figures/data.ts'
import { reportBacklogs } from '../queue/backlogs.ts'
import { type QueueServer, readPostgresQueue, readSqliteQueue } from '../queue/queue-reader.ts'
import { reportRefusals } from '../queue/refusals.ts'
import { reportStartDelays } from '../queue/start-delays.ts'
import { addHooks } from '../servers/add-hooks.ts'
import { type SeededPostgres, seedPostgres } from '../servers/seed-postgres.ts'
import { type ServerProcess, startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const peerName = 'pg-boss'

// Each round saves cases on three servers and waits for their runs: fewer rounds than elsewhere.
const maxRounds = 4

export const queue: Section = {
  title: 'runs of hooks after a save, beside pg-boss, 64 connections; refused webhooks, 32 connections',
  async run(bench) {
    const database = await seedPostgres(bench.seed)
    try {
      return await runOn({ ...bench, rounds: Math.min(maxRounds, bench.rounds) }, database)
    } finally {
      await database.stop()
    }
  },
}

async function runOn(bench: Bench, database: SeededPostgres): Promise<Report> {
  const sqlite = join(bench.folder, 'queue.db')
  copyFileSync(bench.seed.path, sqlite)
  const [own, peer] = [await database.createDatabase('own'), await database.createDatabase('peer')]
  const starts = [
    () => startRostrum({ ...bench, name: 'SQLite', database: sqlite }),
    () => startRostrum({ ...bench, name: 'PostgreSQL', settings: { DATABASE_URL: own } }),
    () =>
      startPeer({
        ...bench,
        name: peerName,
        module: 'postgres/pg-boss.ts',
        database: peer,
      }),
  ]
  const queues = [
    readSqliteQueue(sqlite),
    readPostgresQueue(own, 'rostrum'),
    readPostgresQueue(peer, 'pg-boss'),
  ]
  try {
    return await withServers(starts, servers => {
      const [onSqlite, onPostgres, ofPeer] = servers.flatMap((server, i) => {
        const queue = queues[i]
        return queue === undefined ? [] : [{ server, queue }]
      })
      if (onSqlite === undefined || onPostgres === undefined || ofPeer === undefined) {
        throw new Error('Three servers were started.')
      }
      return measure(bench, [onSqlite, onPostgres], ofPeer)
    })
  } finally {
    await Promise.all(queues.map(({ close }) => close()))
  }
}

type Pair = readonly [QueueServer, QueueServer]

async function measure(bench: Bench, own: Pair, peer: QueueServer): Promise<Report> {
  const all = [...own, peer]
  const { token } = bench.seed
  for (const { server } of own) await addQueueHooks(server, token)
  const servers = all.map(({ server }) => server)
  for (const kind of ['queuedCaseSave', 'fannedCaseSave'] as const) {
    await compareAnswers({ servers, kind, token, normalize: withoutTimes })
  }
  for (const { queue } of all) await queue.whenEmpty()

  const reports = [
    await reportStartDelays(bench, own),
    await reportBacklogs(bench, own, peer),
    await reportRefusals(bench, own[0].server),
  ]
  return {
    tables: reports.flatMap(({ tables }) => tables),
    notes: reports.flatMap(({ notes }) => notes),
    claims: reports.flatMap(({ claims }) => claims),
  }
}

function addQueueHooks(server: ServerProcess, token: string): Promise<void> {
  const fanned = Array.from({ length: hooksOfFanned }, () => 'fanned')
  return addHooks(server, token, {
    event: 'POST_SAVE',
    caseTypeCodes: ['queued', ...fanned],
    sourceCode: sampleScript,
  })
}

function withoutTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}
