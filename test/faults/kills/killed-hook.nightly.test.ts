import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

interface Body {
  readonly case: { readonly id: number; readonly version: number }
}

interface Listed {
  readonly runs: { readonly edges: readonly { readonly node: { readonly state: string } }[] }
  readonly cases: { readonly nodes: readonly { readonly data: unknown }[] }
}

const post = (server: TestServer) =>
  server.rest<Body>('POST', '/platform/cases', {
    body: { case: { case_type_code: 'incident', data: { a: 1 } } },
    headers: { 'idempotency-key': 'the-key' },
  })

async function list(server: TestServer): Promise<Listed> {
  const { body } = await server.graphql<Listed>(
    '{ runs { edges { node { state } } } cases { nodes { data } } }',
  )
  return body.data as Listed
}

test.each([
  ['SQLite', async () => null],
  ['PostgreSQL', createDatabase],
])('on %s a gateway killed in a hook stores nothing, and the same key saves once', async (_, findUrl) => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const begun = Promise.withResolvers<void>()
  let answers = false
  const upstream = await startUpstream((_request, response) => {
    begun.resolve()
    if (answers) sendJson(response, { data: {} })
  })
  onTestFinished(() => upstream.close())
  const settings = {
    DATABASE_URL: (await findUrl()) ?? `sqlite:${folder.path}/store.db`,
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
  }
  const first = await startServer(settings)
  await saveHook(first, `await graphql('{ x }', {}, '${upstream.url}'); exit({ ...payload, b: 2 })`)
  const cut = post(first).catch(() => null)
  await begun.promise
  await expect
    .poll(() => list(first))
    .toEqual({ runs: { edges: [{ node: { state: 'RUNNING' } }] }, cases: { nodes: [] } })
  await first.kill()
  expect(await cut).toBeNull()

  answers = true
  const second = await startServer(settings)
  onTestFinished(async () => void (await second.stop()))
  expect((await list(second)).cases.nodes).toEqual([])
  await expect.poll(async () => (await list(second)).runs.edges).toEqual([{ node: { state: 'LOST' } }])
  const again = await post(second)
  expect([again.status, again.body.case.version]).toEqual([201, 1])
  const repeated = await post(second)
  expect(repeated.headers.get('idempotency-replayed')).toBe('true')
  expect(repeated.body).toEqual(again.body)
  await sleep(500)
  const { runs, cases } = await list(second)
  expect(cases.nodes).toEqual([{ data: { a: 1, b: 2 } }])
  expect(runs.edges.map(({ node }) => node.state)).toEqual(['ENDED', 'LOST'])
})
