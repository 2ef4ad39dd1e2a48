import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { deliver, type SavedWebhook, saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { type Gate, startGate } from '../../server/processes/start-gate.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { until } from '../../server/processes/until.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

let gate: Gate
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.close())

const key = Buffer.alloc(32, 9).toString('base64')

async function urlOf(engine: string): Promise<string> {
  if (engine === 'PostgreSQL') return createDatabase()
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  return `sqlite:${folder.path}/store.db`
}

describe.each(['SQLite', 'PostgreSQL'])('on %s', engine => {
  const start = (DATABASE_URL: string) =>
    startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: key, ROSTRUM_GRAPHQL_HOSTS: gate.host })
  const send = (server: Parameters<typeof deliver>[0], { path, secret }: SavedWebhook, id: string) =>
    deliver(server, path, { headers: signStandard({ secret, id }) })

  test('a message whose gateway died in its run is free again after the lease, and runs once', async () => {
    const url = await urlOf(engine)
    const dying = await start(url)
    const webhook = await saveWebhook(dying, { name: 'w', sourceCode: `${gate.wait}; exit(generateGuid())` })
    const lost = send(dying, webhook, 'm').catch(() => null)
    const before = gate.arrived()
    await until(() => gate.arrived() > before)
    await dying.kill()
    await lost
    const next = await start(url)
    const retrying = setInterval(() => gate.open(), 50)
    const statuses: number[] = []
    await until(async () => {
      const { status } = await send(next, webhook, 'm')
      statuses.push(status)
      return status === 200
    })
    clearInterval(retrying)
    expect(statuses.slice(0, -1).filter(status => status !== 409)).toEqual([])
    const again = await send(next, webhook, 'm')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    await next.stop()
  })

  test('a message that was accepted before its gateway died does not run again', async () => {
    const url = await urlOf(engine)
    const dying = await start(url)
    const sync = await saveWebhook(dying, { name: 'sync', sourceCode: 'exit(generateGuid())' })
    const queued = await saveWebhook(dying, { name: 'queued', sourceCode: 'exit(1)', mode: 'QUEUED' })
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`)
    const first = new Map<string, string>()
    for (const id of ids) first.set(id, (await send(dying, sync, id)).text)
    const accepted = await Promise.all(ids.map(id => send(dying, queued, id)))
    expect(accepted.map(({ status }) => status)).toEqual(ids.map(() => 202))
    await dying.kill()

    const next = await start(url)
    for (const id of ids) {
      const again = await send(next, sync, id)
      expect([again.status, again.text]).toEqual([200, first.get(id)])
      expect((await send(next, queued, id)).headers.get('idempotency-replayed')).toBe('true')
    }
    const find = `{ runs(filter: {trigger: WEBHOOK, state: ENDED}, first: 100) { edges { node { name } } } }`
    const countQueued = async () => {
      const { body } = await next.graphql<{ runs: { edges: { node: { name: string } }[] } }>(find)
      return body.data?.runs.edges.filter(({ node }) => node.name === 'queued').length ?? 0
    }
    // At least once: one that the death cut off runs again.
    await until(async () => (await countQueued()) >= ids.length)
    await next.stop()
  })
})
