import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { type SharedServer, shareReplicas, shareServer } from '../server/share-server.ts'
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
