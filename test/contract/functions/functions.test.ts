import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})

interface FunctionRow {
  readonly id: string
  readonly name: string
  readonly caseTypeCode: string | null
  readonly live: { readonly hash: string; readonly sourceCode: string }
}

interface Page<Node> {
  readonly edges: readonly { readonly node: Node }[]
  readonly pageInfo: { readonly endCursor: string }
}
type FunctionsPage = Page<{ readonly name: string }>

interface VersionsPage {
  readonly live: unknown
  readonly versions: Page<{ readonly sourceCode: string }>
}

const hashOf = (source: string) => createHash('sha256').update(source).digest('hex')

const saving = `mutation($input: SaveFunctionInput!) {
  saveFunction(input: $input) { id name caseTypeCode live { hash sourceCode comment byUserId byEmail at } }
}`

const save = (input: Record<string, unknown>, token?: string) =>
  server.graphql<{ saveFunction: FunctionRow | null }>(saving, { input }, token)

async function saved(input: Record<string, unknown>, token?: string): Promise<FunctionRow> {
  const { body, text } = await save(input, token)
  if (body.data?.saveFunction == null) throw new Error(text)
  return body.data.saveFunction
}

describe('a function', () => {
  test('is saved with its version, its author and the time', async () => {
    const token = await server.token({ account: server.account, email: 'ann@example.com', user: 7 })
    const sourceCode = 'exit(payload)'
    expect(await saved({ name: 'echo', sourceCode, comment: 'first' }, token)).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'echo',
      caseTypeCode: null,
      live: {
        hash: hashOf(sourceCode),
        sourceCode,
        comment: 'first',
        byUserId: '7',
        byEmail: 'ann@example.com',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
  })

  test('lists its versions from the newest, page by page', async () => {
    const { id } = await saved({ name: 'paged', sourceCode: 'exit(1)' })
    for (const n of [2, 3]) await saved({ name: 'paged', sourceCode: `exit(${n})`, makeLive: false })
    await saved({ name: 'paged', sourceCode: 'exit(2)', makeLive: false })
    const query = `query($id: ID!, $after: String) { function(id: $id) { live { sourceCode }
      versions(first: 2, after: $after) {
        edges { node { sourceCode } } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`
    const page = async (after: string | null) =>
      (await server.graphql<{ function: VersionsPage }>(query, { id, after })).body.data
        ?.function as VersionsPage
    const first = await page(null)
    const sources = (found: VersionsPage) => found.versions.edges.map(({ node }) => node.sourceCode)
    expect(first.live).toEqual({ sourceCode: 'exit(1)' })
    expect(sources(first)).toEqual(['exit(3)', 'exit(2)'])
    expect(first.versions.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    const second = await page(first.versions.pageInfo.endCursor)
    expect(sources(second)).toEqual(['exit(1)'])
    expect(second.versions.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  })

  test('is rolled back by making another version live', async () => {
    const { id } = await saved({ name: 'rolled', sourceCode: 'exit(1)' })
    await saved({ name: 'rolled', sourceCode: 'exit(2)' })
    const document = `mutation($id: ID!, $hash: ID!) { makeVersionLive(functionId: $id, hash: $hash) {
      live { sourceCode } } }`
    const { body } = await server.graphql(document, { id, hash: hashOf('exit(1)') })
    expect(body.data).toEqual({ makeVersionLive: { live: { sourceCode: 'exit(1)' } } })
    for (const hash of [hashOf('exit(3)'), 'nonsense', hashOf('exit(1)').toUpperCase()]) {
      const refused = await server.graphql(document, { id, hash })
      expect(refused.body.errors?.[0]).toMatchObject({
        message: `The function has no version \`${hash}\`.`,
        extensions: { code: 'NOT_FOUND' },
      })
    }
  })

  test('is not rolled back if another version has become live meanwhile', async () => {
    const { id } = await saved({ name: 'raced', sourceCode: 'exit(1)' })
    await saved({ name: 'raced', sourceCode: 'exit(2)' })
    const document = `mutation($id: ID!, $hash: ID!, $ifLive: [ID!]) {
      makeVersionLive(functionId: $id, hash: $hash, ifLive: $ifLive) { live { sourceCode } } }`
    const rollBack = async (ifLive: string[]) =>
      (await server.graphql(document, { id, hash: hashOf('exit(1)'), ifLive })).body
    for (const ifLive of [[], [hashOf('exit(1)')], ['nonsense']]) {
      const { data, errors } = await rollBack(ifLive)
      expect(data).toEqual({ makeVersionLive: null })
      const extensions = { code: 'PRECONDITION_FAILED', liveVersion: hashOf('exit(2)') }
      expect(errors?.[0]).toMatchObject({ extensions })
    }
    const live = { sourceCode: 'exit(1)' }
    expect((await rollBack([hashOf('exit(2)')])).data).toEqual({ makeVersionLive: { live } })
    expect((await rollBack(['*'])).data).toEqual({ makeVersionLive: { live } })
  })

  test('is found by its name: that of the case type first, then the one without', async () => {
    const any = await saved({ name: 'by-name', sourceCode: 'exit("any")' })
    const own = await saved({ name: 'by-name', caseTypeCode: 'incident', sourceCode: 'exit("own")' })
    const find = async (caseTypeCode: string | null, name = 'by-name') => {
      const document =
        'query($name: String, $code: String) { function(name: $name, caseTypeCode: $code) { id } }'
      return (await server.graphql(document, { name, code: caseTypeCode })).body.data?.function
    }
    expect(await find('incident')).toEqual({ id: own.id })
    expect(await find('request')).toEqual({ id: any.id })
    expect(await find('nul \0 and more')).toEqual({ id: any.id })
    expect(await find(null)).toEqual({ id: any.id })
    expect(await find(null, 'no \ud800 name')).toBeNull()
    const both = await server.graphql('{ function(id: "1", name: "x") { id } }')
    expect(both.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })

  test('is listed page by page, without those of other accounts', async () => {
    const token = await server.token({ account: 'lists' })
    for (const name of ['a', 'b', 'c']) await saved({ name, sourceCode: 'exit(1)' }, token)
    const document = `query($after: String) { functions(first: 2, after: $after) {
      edges { cursor node { name } } pageInfo { hasNextPage endCursor } } }`
    const page = async (after: string | null) =>
      (await server.graphql<{ functions: FunctionsPage }>(document, { after }, token)).body.data as {
        functions: FunctionsPage
      }
    const { functions } = await page(null)
    const names = ({ edges }: FunctionsPage) => edges.map(({ node }) => node.name)
    expect(names(functions)).toEqual(['a', 'b'])
    expect(names((await page(functions.pageInfo.endCursor)).functions)).toEqual(['c'])
  })

  test('is given as it was when it is removed, and then it is gone', async () => {
    const { id } = await saved({ name: 'removed', sourceCode: 'exit(1)' })
    const document = `mutation($id: ID!) { removeFunction(id: $id) {
      id name live { sourceCode } versions { nodes { sourceCode } } } }`
    const live = { sourceCode: 'exit(1)' }
    expect((await server.graphql(document, { id })).body.data).toEqual({
      removeFunction: { id, name: 'removed', live, versions: { nodes: [live] } },
    })
    const gone = `query($id: ID!) {
      function(id: $id) { id } byName: function(name: "removed") { id } }`
    expect((await server.graphql(gone, { id })).body.data).toEqual({ function: null, byName: null })
    expect((await server.graphql(document, { id })).body.errors?.[0]).toMatchObject({
      message: `There is no function \`${id}\`.`,
      extensions: { code: 'NOT_FOUND' },
    })
  })
})

test('a removed function is shown by its runs, with the source that each ran', async () => {
  const name = 'removed-with-runs'
  await saved({ name, sourceCode: 'exit(1)' })
  const run = async () =>
    (
      await server.rest<ExecutionBody>('POST', `/api/1/function/${name}/execute`, {
        body: { inputDocument: {} },
      })
    ).body.task_execution.id
  const first = await run()
  const { id } = await saved({ name, sourceCode: 'exit(2)' })
  const second = await run()
  // The runs are not written yet.
  const { body } = await server.graphql('mutation($id: ID!) { removeFunction(id: $id) { id } }', { id })
  expect(body.errors).toBeUndefined()
  const again = await saved({ name, sourceCode: 'exit(3)' })
  expect(again.id).not.toBe(id)
  const document = `query($id: ID!) { run(id: $id) { functionVersion
    function { id name caseTypeCode live { sourceCode } versions { nodes { hash sourceCode } }
      runs { nodes { id } } } } }`
  const read = async (runId: string) =>
    (await server.graphql<{ run: unknown }>(document, { id: runId })).body.data?.run
  await expect.poll(() => read(second)).not.toBeNull()
  const versions = ['exit(2)', 'exit(1)'].map(sourceCode => ({ hash: hashOf(sourceCode), sourceCode }))
  const shown = {
    ...{ id, name, caseTypeCode: null, live: { sourceCode: 'exit(2)' } },
    ...{ versions: { nodes: versions }, runs: { nodes: [{ id: second }, { id: first }] } },
  }
  expect(await read(first)).toEqual({ functionVersion: hashOf('exit(1)'), function: shown })
  expect(await read(second)).toEqual({ functionVersion: hashOf('exit(2)'), function: shown })
})

describe('what is refused is not saved', () => {
  test.each([
    ['let a = 1\n  let b = }', 2, 11],
    ['}); exit(1); (function () {', 1, 1],
    ['await 1 +', 1, 10],
    ['import fs from "fs"', 1, 1],
  ])('a source that does not compile, with its place: %j', async (sourceCode, line, column) => {
    const { status, body } = await save({ name: 'broken', sourceCode })
    expect(status).toBe(200)
    expect(body.errors?.[0]?.message).toMatch(/^`sourceCode` does not compile: SyntaxError: /)
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', line, column })
    const { body: found } = await server.graphql('{ function(name: "broken") { id } }')
    expect(found.data).toEqual({ function: null })
  })

  test('a source that compiles but would never end is saved, because it does not run', async () => {
    const { live } = await saved({ name: 'endless', sourceCode: 'for (;;);' })
    expect(live.hash).toBe(hashOf('for (;;);'))
  })

  test.each([
    ['/name', { name: '' }],
    ['/name', { name: '-x' }],
    ['/name', { name: 'x'.repeat(65) }],
    ['/name', { name: 'a/b' }],
    ['/name', { name: 'a\n' }],
    ['/caseTypeCode', { caseTypeCode: '' }],
    ['/caseTypeCode', { caseTypeCode: 'ä' }],
    ['/sourceCode', { sourceCode: 'exit("\0")' }],
    ['/sourceCode', { sourceCode: 'exit("\ud800")' }],
    ['/comment', { comment: 'x'.repeat(1_001) }],
    ['/comment', { comment: '\0' }],
  ])('a bad %s: %j', async (pointer, bad) => {
    const { body } = await save({ name: 'good', sourceCode: 'exit(1)', ...bad })
    expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ pointer }] })
  })

  test('a source of 256 KiB and a byte', async () => {
    const { body } = await save({ name: 'long', sourceCode: `//${'x'.repeat(256 * 2 ** 10 - 1)}` })
    expect(body.errors?.[0]?.extensions.code).toBe('PAYLOAD_TOO_LARGE')
    const longest = await saved({ name: 'long', sourceCode: `//${'x'.repeat(256 * 2 ** 10 - 2)}` })
    expect(longest.live.sourceCode).toHaveLength(256 * 2 ** 10)
  })
})

describe('rights', () => {
  const operations: [string, string][] = [
    ['functions:read', '{ function(id: "1") { id } }'],
    ['functions:read', '{ functions { edges { cursor } } }'],
    ['functions:write', 'mutation { saveFunction(input: {name: "x", sourceCode: "exit(1)"}) { id } }'],
    ['functions:write', 'mutation { makeVersionLive(functionId: "999", hash: "x") { id } }'],
    ['functions:write', 'mutation { removeFunction(id: "999") { id } }'],
  ]
  const scopes = ['memberships:read', 'tasks:execute', 'functions:read', 'functions:write'] as const

  test.each(operations)('%s is needed for %s', async (needed, document) => {
    for (const scope of scopes) {
      const token = await server.token({ account: server.account, user: 5, scopes: [scope] })
      const { body, text } = await server.graphql(document, {}, token)
      const codes = body.errors?.map(error => error.extensions.code) ?? []
      if (scope === needed) expect(codes, text).not.toContain('FORBIDDEN')
      else expect(codes, text).toEqual(['FORBIDDEN'])
    }
  })

  test('a function of another account is an unknown one, byte for byte', async () => {
    const foreign = await saved({ name: 'foreign', sourceCode: 'exit("secret")' })
    const token = await server.token({ account: 'other' })
    const unknown = '77777777'
    const documents = [
      'query($id: ID!) { function(id: $id) { id live { sourceCode } } }',
      'mutation($id: ID!) { removeFunction(id: $id) { name } }',
      `mutation($id: ID!) { makeVersionLive(functionId: $id, hash: "${foreign.live.hash}") { name } }`,
      'query($id: ID!) { a: function(name: "foreign") { id } b: function(id: $id) { id } }',
    ]
    for (const document of documents) {
      const [own, other] = [foreign.id, unknown].map(id => server.graphql(document, { id }, token))
      const text = (await own)?.text.replaceAll(foreign.id, '<id>')
      expect(text).toBe((await other)?.text.replaceAll(unknown, '<id>'))
    }
    const { body } = await server.graphql('query($id: ID!) { function(id: $id) { live { sourceCode } } }', {
      id: foreign.id,
    })
    expect(body.data).toEqual({ function: { live: { sourceCode: 'exit("secret")' } } })
  })
})

test('a repeated save under an idempotency key is done once', async () => {
  const input = { name: 'keyed', sourceCode: 'exit(1)' }
  const send = () =>
    server.rest<{ data: unknown }>('POST', '/graphql', {
      body: { query: saving, variables: { input } },
      headers: { 'idempotency-key': 'save-keyed' },
    })
  const [first, again] = [await send(), await send()]
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
})

test('a page of long sources is refused before they are read', async () => {
  const token = await server.token({ account: 'long' })
  for (let n = 0; n < 16; n += 1)
    await saved({ name: `long-${n}`, sourceCode: `//${n}${'x'.repeat(250_000)}` }, token)
  const document = '{ functions(first: 20) { edges { node { name live { sourceCode } } } } }'
  const { body } = await server.graphql(document, {}, token)
  expect(body.errors?.[0]?.message).toMatch(/bytes/)
  const few = await server.graphql(document.replace('20', '3'), {}, token)
  expect(few.body.errors).toBeUndefined()
})
