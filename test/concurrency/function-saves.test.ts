import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { type SharedServer, shareReplicas, shareServer } from '../server/share-server.ts'
import type { GraphqlBody } from '../server/wire-shapes.ts'
import { askPostgres } from '../store/ask-postgres.ts'
import { keptRun } from '../store/kept-run.ts'
import { by } from '../store/origin.ts'
import { saveFunction, versionOf } from '../store/save-function.ts'

interface Saved {
  readonly saveFunction: {
    readonly live: { readonly hash: string; readonly sourceCode: string }
    readonly versions: { readonly nodes: readonly { readonly hash: string }[] }
  }
}

const save = `
  mutation($sourceCode: String!, $makeLive: Boolean!) {
    saveFunction(input: {name: "busy", sourceCode: $sourceCode, makeLive: $makeLive}) {
      live { hash sourceCode } versions(first: 200) { nodes { hash } }
    }
  }`

const saves = 40
const hashOf = (sourceCode: string) => versionOf(sourceCode).hash

describe.each([
  ['SQLite', async () => [await shareServer()] as const],
  ['two gateways of one PostgreSQL', shareReplicas],
])('a function with 100 versions that have run, on %s', (_, share) => {
  let servers: readonly SharedServer[]
  beforeAll(async () => {
    servers = await share()
  })

  async function fill({ account, settings }: SharedServer) {
    const store = await openStore({ url: settings.DATABASE_URL })
    onTestFinished(() => store.close())
    const sources = Array.from({ length: 100 }, (_, index) => `exit('old ${index}')`)
    for (const source of sources) await saveFunction(store, versionOf(source, { name: 'busy' }), by(account))
    const inserts = sources.map(source => keptRun({ functionVersion: hashOf(source) }))
    await store.runs.write(account, 'one', { inserts, ends: [] })
  }

  test('answers many saves at once, and keeps what they saved', async () => {
    const [first] = servers
    if (first === undefined) throw new Error('There is no gateway.')
    await fill(first)
    const sources = Array.from({ length: saves }, (_, index) => `exit(${index})`)
    const answers = await Promise.all(
      sources.map(async (sourceCode, index) => {
        const server = servers[index % servers.length] ?? first
        return (await server.graphql<Saved>(save, { sourceCode, makeLive: index % 3 > 0 })).body
      }),
    )
    expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([])
    const { body } = await first.graphql<{ function: Saved['saveFunction'] }>(
      '{ function(name: "busy") { live { hash sourceCode } versions(first: 200) { nodes { hash } } } }',
    )
    const found = body.data?.function.versions.nodes.map(({ hash }) => hash)
    expect(found).toHaveLength(100 + saves)
    expect(found).toEqual(expect.arrayContaining(sources.map(hashOf)))
    const live = body.data?.function.live
    expect(live).toEqual({
      hash: hashOf(live?.sourceCode ?? ''),
      sourceCode: expect.stringMatching(/^exit\(/),
    })
  })
})

test('a repeated save whose version has been deleted is answered with the live version', async () => {
  const [server] = await shareReplicas()
  const { account, settings } = server
  const send = () =>
    server.rest<GraphqlBody<Saved>>('POST', '/graphql', {
      body: { query: save, variables: { sourceCode: 'exit(1)', makeLive: true } },
      headers: { 'idempotency-key': 'cut-off' },
    })
  expect((await send()).body.data?.saveFunction.live.sourceCode).toBe('exit(1)')
  // As a gateway leaves it that dies before it keeps its answer.
  await askPostgres(
    settings.DATABASE_URL,
    `update idempotency_keys set answer = null, held_until = now() where account_code = '${account}'`,
  )
  const store = await openStore({ url: settings.DATABASE_URL })
  onTestFinished(() => store.close())
  const few = { functions: 10, versions: 1 }
  for (let count = 2; count <= 13; count += 1)
    await saveFunction(store, versionOf(`exit(${count})`, { name: 'busy' }), by(account), few)

  const { status, headers, body } = await send()
  expect([status, headers.get('idempotency-replayed'), body.errors]).toEqual([200, null, undefined])
  expect(body.data?.saveFunction.live.sourceCode).toBe('exit(13)')
  const hashes = body.data?.saveFunction.versions.nodes.map(({ hash }) => hash)
  expect(hashes).not.toContain(hashOf('exit(1)'))
})
