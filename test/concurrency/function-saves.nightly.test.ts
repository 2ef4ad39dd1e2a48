import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import type { GraphqlBody } from '../server/clients/wire-shapes.ts'
import { type SharedServer, shareReplicas, shareServer } from '../server/gateways/share-server.ts'
import { saveFunction, versionOf } from '../store/cases/save-function.ts'
import { askPostgres } from '../store/databases/ask-postgres.ts'
import { by } from '../store/databases/origin.ts'
import { keptRun } from '../store/runs/kept-run.ts'

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

interface RestBody {
  readonly function: { readonly live_version: string; readonly source_code: string }
}

const javascript = { 'content-type': 'text/javascript' }
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

describe.each([
  ['SQLite', async () => [await shareServer()] as const],
  ['two gateways of one PostgreSQL', shareReplicas],
])('of saves over REST at once, on %s', (_, share) => {
  let servers: readonly SharedServer[]
  beforeAll(async () => {
    servers = await share()
  })

  async function putAll(path: string, headers: Readonly<Record<string, string>>) {
    const all = Array.from({ length: 8 }, async (_, index) => {
      const server = servers[index % servers.length] as SharedServer
      const body = `exit(${index})`
      const options = { body, headers: { ...javascript, ...headers } }
      return { body, answer: await server.rest<RestBody>('PUT', path, options) }
    })
    const answers = await Promise.all(all)
    const done = answers.filter(({ answer }) => answer.status < 300)
    const refused = answers.filter(({ answer }) => answer.status === 412)
    return { done, refused }
  }

  test.each([1, 2, 3])('exactly one creates the function, and one changes each version (%i)', async round => {
    const path = `/platform/functions/raced-${round}`
    let headers: Readonly<Record<string, string>> = { 'if-none-match': '*' }
    for (const status of [201, 200, 200]) {
      const { done, refused } = await putAll(path, headers)
      expect(done.map(({ answer }) => answer.status)).toEqual([status])
      expect(refused).toHaveLength(7)
      const [winner] = done
      const hash = hashOf(winner?.body ?? '')
      expect(winner?.answer.headers.get('etag')).toBe(`"${hash}"`)
      const read = await servers[0]?.rest<RestBody>('GET', path)
      expect(read?.body.function).toMatchObject({ live_version: hash, source_code: winner?.body })
      // So that no save makes the same version live again.
      await servers[0]?.rest('PUT', path, { body: `exit('${status}')`, headers: javascript })
      headers = { 'if-match': `"${hashOf(`exit('${status}')`)}"` }
    }
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
