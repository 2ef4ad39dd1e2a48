import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliver, type SavedWebhook, saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
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

// One gateway dies over all messages of an engine, and another one starts on its store.
describe.each(['SQLite', 'PostgreSQL'])('on %s', engine => {
  const start = (DATABASE_URL: string) =>
    startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: key, ROSTRUM_GRAPHQL_HOSTS: gate.host })
  const send = (server: TestServer, { path, secret }: SavedWebhook, id: string) =>
    deliver(server, path, { headers: signStandard({ secret, id }) })
  const ids = Array.from({ length: 20 }, (_, index) => `m${index}`)
  const first = new Map<string, string>()
  const folder = makeTempFolder()
  let waiting: SavedWebhook
  let sync: SavedWebhook
  let queued: SavedWebhook
  let next: TestServer

  beforeAll(async () => {
    const url = engine === 'PostgreSQL' ? await createDatabase() : `sqlite:${folder.path}/store.db`
    const dying = await start(url)
    waiting = await saveWebhook(dying, { name: 'w', sourceCode: `${gate.wait}; exit(generateGuid())` })
    sync = await saveWebhook(dying, { name: 'sync', sourceCode: 'exit(generateGuid())' })
    queued = await saveWebhook(dying, { name: 'queued', sourceCode: 'exit(1)', mode: 'QUEUED' })
    for (const id of ids) first.set(id, (await send(dying, sync, id)).text)
    const before = gate.arrived()
    const lost = send(dying, waiting, 'm').catch(() => null)
    await until(() => gate.arrived() > before)
    const accepted = await Promise.all(ids.map(id => send(dying, queued, id)))
    expect(accepted.map(({ status }) => status)).toEqual(ids.map(() => 202))
    await dying.kill()
    await lost
    next = await start(url)
  })
  afterAll(async () => {
    await next.stop()
    folder.remove()
  })

  test('a message whose gateway died in its run is free again after the lease, and runs once', async () => {
    const retrying = setInterval(() => gate.open(), 50)
    const statuses: number[] = []
    await until(async () => {
      const { status } = await send(next, waiting, 'm')
      statuses.push(status)
      return status === 200
    })
    clearInterval(retrying)
    expect(statuses.slice(0, -1).filter(status => status !== 409)).toEqual([])
    const again = await send(next, waiting, 'm')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  })

  test('a message that was accepted before its gateway died does not run again', async () => {
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
  })
})
