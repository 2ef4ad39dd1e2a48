import { expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { create, ends, expectEachRan, script, startReports } from './queue-stage.ts'

// The nightly mode kills more often.
const kills = Number(process.env.KILLS ?? 4)

// `killed-sqlite` does the same on SQLite.
test(`on PostgreSQL, ${kills} gateways killed right after a 201 lose no hook`, async () => {
  const { reports, upstream } = await startReports()
  const settings = { DATABASE_URL: await createDatabase(), ROSTRUM_GRAPHQL_HOSTS: upstream.host }
  let server = await startServer(settings)
  await saveHook(server, script(upstream), { event: 'post-save' })
  const saved: number[] = []
  for (let round = 0; round < kills; round++) {
    const answer = await create(server, { round })
    expect(answer.status).toBe(201)
    await server.kill()
    saved.push(answer.body.case.id)
    server = await startServer(settings)
  }
  ends.push(() => server.stop())
  await expectEachRan(server, saved, reports)
}, 400_000)
