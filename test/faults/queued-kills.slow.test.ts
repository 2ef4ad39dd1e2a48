import { expect, test } from 'vitest'
import { saveHook } from '../http/save-hook.ts'
import { startServer } from '../server/start-server.ts'
import { makeTempFolder } from '../server/temp-folder.ts'
import { createDatabase } from '../store/create-database.ts'
import { create, ends, script, startReports, statesOf } from './queue-stage.ts'

const kills = 50

test.each([
  ['SQLite', null],
  ['PostgreSQL', createDatabase],
])(
  `on %s, ${kills} gateways killed right after a 201 lose no hook`,
  async (_, findUrl) => {
    const folder = makeTempFolder()
    ends.push(() => folder.remove())
    const { reports, upstream } = await startReports()
    const settings = {
      DATABASE_URL: (await findUrl?.()) ?? `sqlite:${folder.path}/store.db`,
      ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    }
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
    const missing = () => saved.filter(id => !reports.some(report => report.id === id))
    await expect.poll(missing, { timeout: 20_000 }).toEqual([])
    // A run whose end a kill cut off waits to run again, the longer the more often that happened.
    expect(await statesOf(server)).not.toContain('DEAD')
    const transactions = Map.groupBy(reports, ({ id }) => id)
    for (const [, ofCase] of transactions) expect(new Set(ofCase.map(({ txnID }) => txnID)).size).toBe(1)
    console.info(`${saved.length} saves, ${reports.length} runs`)
  },
  400_000,
)
