import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../../src/credentials/caller.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

interface Body {
  readonly function: {
    readonly id: number
    readonly live_version: string
    readonly version: string
    readonly source_code: string
  }
  readonly code: string
  readonly detail: string
}

let server: SharedServer
let folder: string
beforeAll(async () => {
  server = await shareServer()
  folder = await mkdtemp(join(tmpdir(), 'rostrum-functions-'))
})
afterAll(() => rm(folder, { recursive: true }))

const hashOf = (source: string | Buffer) => createHash('sha256').update(source).digest('hex')
const pathOf = (name: string, query = '') => `/platform/functions/${name}${query}`
const javascript = { 'content-type': 'text/javascript' }

type Headers = Readonly<Record<string, string>>

const put = (name: string, source: string, { query = '', ...headers }: Headers & { query?: string } = {}) =>
  server.rest<Body>('PUT', pathOf(name, query), { body: source, headers: { ...javascript, ...headers } })

const get = (name: string, query = '', headers: Headers = {}) =>
  server.rest<Body>('GET', pathOf(name, query), { headers })

const problem = ({ status, body }: Answer<Body>) => ({ status, ...body })

describe('a saved function', () => {
  test('is 201 when it is new, then 200, with the tag of its live version', async () => {
    const first = await put('priority', 'exit(1)', { query: '?case_type_code=incident&comment=first' })
    expect([first.status, first.headers.get('etag')]).toEqual([201, `"${hashOf('exit(1)')}"`])
    expect(first.text).not.toContain('\n')
    expect(first.body).toEqual({
      function: {
        id: expect.any(Number),
        name: 'priority',
        case_type_code: 'incident',
        live_version: hashOf('exit(1)'),
        version: hashOf('exit(1)'),
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
    const staged = await put('priority', 'exit(2)', { query: '?case_type_code=incident&make_live=false&x=1' })
    expect([staged.status, staged.headers.get('etag')]).toEqual([200, `"${hashOf('exit(1)')}"`])
    expect(staged.body).toEqual({ function: { ...first.body.function, version: hashOf('exit(2)') } })

    const read = await get('priority', '?case_type_code=incident')
    expect([read.status, read.headers.get('etag')]).toEqual([200, `"${hashOf('exit(1)')}"`])
    expect(read.body).toEqual({ function: { ...first.body.function, source_code: 'exit(1)' } })
    const { body } = await server.graphql(
      '{ function(name: "priority", caseTypeCode: "incident") { live { comment } } }',
    )
    expect(body.data).toEqual({ function: { live: { comment: 'first' } } })
  })

  test('may come as JSON, whose members count before the query string', async () => {
    const body = { function: { source_code: 'exit("é")', comment: 'inside', make_live: false, more: 1 } }
    await put('from-json', 'exit(0)')
    const saved = await server.rest<Body>('PUT', pathOf('from-json', '?make_live=true&comment=outside'), {
      body,
    })
    expect(saved.status).toBe(200)
    const versions = { live_version: hashOf('exit(0)'), version: hashOf('exit("é")') }
    expect(saved.body.function).toMatchObject(versions)
    const { body: found } = await server.graphql(
      '{ function(name: "from-json") { versions { nodes { comment } } } }',
    )
    expect(found.data).toEqual({
      function: { versions: { nodes: [{ comment: 'inside' }, { comment: null }] } },
    })
  })

  test('may be sent back as it was read, and only to its own address', async () => {
    await put('returned', 'exit(1)', { query: '?case_type_code=incident' })
    const { function: record } = (await get('returned', '?case_type_code=incident')).body
    const send = (name: string, query: string, change: object) =>
      server.rest<Body>('PUT', pathOf(name, query), { body: { function: { ...record, ...change } } })
    expect((await send('returned', '?case_type_code=incident', {})).body.function).toMatchObject({
      id: record.id,
    })
    expect((await send('returned', '', { case_type_code: null })).status).toBe(201)
    const ofCode = (end: string) => ({
      pointer: '/function/case_type_code',
      detail: `must be the \`case_type_code\` of the address, ${end}`,
    })
    const ofName = { pointer: '/function/name', detail: 'must be `other`, as in the address' }
    for (const [name, query, change, errors] of [
      ['returned', '', {}, [ofCode('which has none')]],
      ['other', '?case_type_code=x', {}, [ofName, ofCode('`x`')]],
      ['other', '?case_type_code=incident', { name: 5 }, [ofName]],
    ] as const) {
      const refused = problem(await send(name, query, change))
      expect(refused).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', errors })
    }
    expect((await get('other', '?case_type_code=x')).status).toBe(404)
  })

  test.each([['text/javascript; charset=utf-8'], ['application/javascript'], ['application/octet-stream']])(
    'may come as %s',
    async type => {
      const saved = await put('typed', 'exit(1)', { 'content-type': type })
      expect([200, 201]).toContain(saved.status)
    },
  )

  test('is given as its source alone, byte for byte, to a client that asks for JavaScript', async () => {
    const source = '\ufeff// é\r\nexit("☃")\n'
    expect((await put('bytes', source)).body.function.version).toBe(hashOf(source))
    const ask = async (accept: string, method = 'GET') => {
      const url = server.baseUrl + pathOf('bytes')
      const answer = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${server.adminToken}`, accept },
      })
      return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    }
    const { headers, bytes } = await ask('text/javascript, */*;q=0.1')
    expect(bytes.equals(Buffer.from(source))).toBe(true)
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect([headers.get('etag'), headers.get('vary')]).toEqual([`"${hashOf(source)}"`, 'Accept'])
    for (const accept of ['application/javascript', 'text/javascript;charset=utf-8'])
      expect((await ask(accept)).bytes).toEqual(bytes)
    for (const accept of [
      '*/*',
      'application/json',
      'text/javascript;q=0',
      'application/json, text/javascript;q=0.5',
    ])
      expect((await ask(accept)).headers.get('content-type'), accept).toMatch(/^application\/json/)
    const head = await ask('text/javascript', 'HEAD')
    expect(head.bytes).toHaveLength(0)
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
  })

  test('is found and removed by its exact case type code alone', async () => {
    await put('exact', 'exit("any")')
    await put('exact', 'exit("own")', { query: '?case_type_code=incident' })
    expect((await get('exact', '?case_type_code=incident')).body.function.source_code).toBe('exit("own")')
    expect((await get('exact')).body.function.source_code).toBe('exit("any")')
    for (const query of ['?case_type_code=request', '?case_type_code=', '?case_type_code=%00']) {
      expect(problem(await get('exact', query))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      const gone = await server.rest<Body>('DELETE', pathOf('exact', query))
      expect(problem(gone)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    }
    const removed = await server.rest('DELETE', pathOf('exact', '?case_type_code=incident'))
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await get('exact', '?case_type_code=incident')).status).toBe(404)
    expect((await get('exact')).status).toBe(200)
    expect(problem(await get('none'))).toMatchObject({ detail: 'There is no function `none`.' })
  })

  test('is not removed while a trigger uses it', async () => {
    const { body } = await put('used', 'exit(1)')
    const document = `mutation($input: SaveCaseTaskInput!) { saveCaseTask(input: $input) { id } }`
    const input = { caseTypeCode: 'incident', name: 'uses', functionId: String(body.function.id) }
    expect((await server.graphql(document, { input })).body.errors).toBeUndefined()
    const refused = await server.rest<Body>('DELETE', pathOf('used'))
    expect(problem(refused)).toMatchObject({ status: 409, code: 'CONFLICT', reason: 'IN_USE' })
    expect((await get('used')).status).toBe(200)
  })
})

describe('a condition', () => {
  test.each([
    ['If-Match', `"${hashOf('exit(1)')}"`, 200],
    ['If-Match', '*', 200],
    ['If-Match', `"9", W/"8", "${hashOf('exit(1)')}"`, 200],
    ['If-Match', `W/"${hashOf('exit(1)')}"`, 412],
    ['If-Match', hashOf('exit(1)'), 412],
    ['If-Match', `"${hashOf('exit(2)')}"`, 412],
    ['If-Match', '"1"', 412],
    ['If-None-Match', '*', 412],
    ['If-None-Match', `"${hashOf('exit(2)')}"`, 400],
  ])('of %s: %s on a function whose live version is that: %i', async (header, value, status) => {
    await server.rest('DELETE', pathOf('conditional'))
    await put('conditional', 'exit(1)')
    const saved = await put('conditional', 'exit(3)', { [header]: value })
    expect(saved.status).toBe(status)
    const live = hashOf(status === 200 ? 'exit(3)' : 'exit(1)')
    expect((await get('conditional')).body.function.live_version).toBe(live)
    if (status !== 412) return
    const expected = { code: 'PRECONDITION_FAILED', reason: 'VERSION', live_version: live }
    expect(saved.body).toMatchObject(expected)
    if (header === 'If-None-Match') return
    const removing = await server.rest<Body>('DELETE', pathOf('conditional'), {
      headers: { [header]: value },
    })
    expect(problem(removing)).toMatchObject({ status: 412, ...expected })
  })

  test('can ask for a new function, or one that exists', async () => {
    for (const headers of [
      { 'if-match': '*' },
      { 'if-match': `"${hashOf('exit(1)')}"` },
      { 'if-match': '"x"' },
      { 'if-match': '*', 'if-none-match': '*' },
    ]) {
      const refused = await put('fresh', 'exit(1)', headers)
      expect(problem(refused), JSON.stringify(headers)).toMatchObject({ status: 412, live_version: null })
      expect((await get('fresh')).status).toBe(404)
    }
    expect((await put('fresh', 'exit(1)', { 'if-none-match': '*' })).status).toBe(201)
    expect((await put('fresh', 'exit(1)', { 'if-none-match': '*' })).status).toBe(412)
  })

  test('is `ifLive` of GraphQL', async () => {
    const save = (sourceCode: string, ifLive: readonly string[] | null) =>
      server.graphql<{ saveFunction: unknown }>(
        `mutation($input: SaveFunctionInput!) { saveFunction(input: $input) {
          createdAt saved { version created } } }`,
        { input: { name: 'if-live', sourceCode, ifLive } },
      )
    const { body } = await save('exit(1)', [])
    const saved = { version: hashOf('exit(1)'), created: true }
    expect(body.data?.saveFunction).toEqual({ createdAt: expect.any(String), saved })
    for (const ifLive of [[], [hashOf('exit(2)')], ['']]) {
      const refused = await save('exit(2)', ifLive)
      expect(refused.body.errors?.[0]?.extensions).toMatchObject({
        code: 'PRECONDITION_FAILED',
        reason: 'VERSION',
        liveVersion: hashOf('exit(1)'),
      })
    }
    for (const ifLive of [['x', hashOf('exit(1)')], ['*'], null])
      expect((await save('exit(1)', ifLive)).body.errors).toBeUndefined()
  })
})

describe('a refused save', () => {
  test('of a source that does not compile is 422 with the place of the error', async () => {
    for (const send of [
      () => put('broken', 'let a = 1\n  let b = }'),
      () =>
        server.rest<Body>('PUT', pathOf('broken'), {
          body: { function: { source_code: 'let a = 1\n  let b = }' } },
        }),
    ]) {
      const answer = await send()
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(answer.body).toEqual({
        type: 'urn:rostrum:problem:syntax',
        title: 'Syntax error',
        status: 422,
        detail: "The source does not compile: SyntaxError: Unexpected token '}' (line 2, column 11).",
        code: 'SYNTAX',
        line: 2,
        column: 11,
      })
      expect((await get('broken')).status).toBe(404)
    }
  })

  test.each([
    ['?make_live=yes', '`make_live` must be `true` or `false`; it is `yes`.'],
    ['?make_live=', '`make_live` must be `true` or `false`; it is ``.'],
    ['?make_live=true&make_live=true', 'The query string has `make_live` more than once.'],
    ['?comment=%ff', 'The query string must not have percent-encoded bytes that are not UTF-8.'],
    [`?comment=${'x'.repeat(1_001)}`, '`comment` must have at most 1000 characters.'],
    ['?comment=a%00b', '`comment` must not contain NUL (`\\u0000`).'],
    ['?case_type_code=', /^`case_type_code` must /],
  ])('names what is wrong with %.20s', async (query, detail) => {
    const refused = await put('good', 'exit(1)', { query })
    expect(refused.body).not.toHaveProperty('errors')
    expect(problem(refused)).toMatchObject({
      status: 400,
      detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
    })
  })

  test.each([
    ['{"function": {}}', '/function/source_code'],
    ['{"function": {"source_code": 1}}', '/function/source_code'],
    ['{"function": {"source_code": "exit(\\"\\u0000\\")"}}', '/function/source_code'],
    ['{"function": {"source_code": "", "make_live": 1}}', '/function/make_live'],
    ['{"source_code": ""}', '/function'],
    ['{"function": {"source_code": "", "comment": "\\u0000"}}', '/function/comment'],
  ])('points into a JSON body: %s', async (body, pointer) => {
    const refused = await server.rest<Body>('PUT', pathOf('good'), { body })
    expect(problem(refused)).toMatchObject({ status: 400, errors: [{ pointer }] })
  })

  test('of a body that is no source: 400, 413 and 415', async () => {
    const send = async (body: Buffer<ArrayBuffer>, headers: Headers = javascript) => {
      const url = server.baseUrl + pathOf('good')
      const authorization = `Bearer ${server.adminToken}`
      const answer = await fetch(url, { method: 'PUT', headers: { authorization, ...headers }, body })
      const { code, detail } = (await answer.json()) as Body
      return { status: answer.status, code, detail }
    }
    expect(await send(Buffer.from([0x2f, 0x2f, 0xff]))).toMatchObject({
      status: 400,
      detail: 'The body is not UTF-8 text.',
    })
    expect(await send(Buffer.alloc(0))).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^The body is empty/),
    })
    expect(await send(Buffer.from('exit("\0")'))).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/^`source_code` must not/),
    })
    const tooLong = Buffer.alloc(256 * 2 ** 10 + 1, '/')
    expect(await send(tooLong)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
    expect((await put('long', tooLong.toString().slice(1))).status).toBe(201)
    const inJson = { body: { function: { source_code: tooLong.toString() } } }
    expect(problem(await server.rest<Body>('PUT', pathOf('good'), inJson))).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      detail: expect.stringMatching(/^`function\/source_code` has 262145 bytes/),
      errors: [{ pointer: '/function/source_code' }],
    })
    const form = await send(Buffer.from('exit(1)'), { 'content-type': 'application/x-www-form-urlencoded' })
    expect(form).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
      detail: expect.stringMatching(/`curl -T file\.js`/),
    })
    expect((await send(Buffer.from('a'), { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await get('good')).status).toBe(404)
  })

  test('of a name that no function can have is 400, and such a function is not found', async () => {
    for (const name of ['-x', 'a%2Fb', 'x'.repeat(65), '%00']) {
      expect(problem(await put(name, 'exit(1)'))).toMatchObject({
        status: 400,
        detail: expect.stringMatching(/^`name` must/),
      })
      expect((await get(name)).status).toBe(404)
      expect((await server.rest('DELETE', pathOf(name))).status).toBe(404)
    }
  })

  test('names the methods of the path', async () => {
    const answer = await server.rest('POST', pathOf('good'), { body: {} })
    expect(answer.headers.get('allow')).toBe('GET, PUT, DELETE')
  })
})

test.each<[Scope, string]>([
  ['functions:read', 'GET'],
  ['functions:write', 'PUT'],
  ['functions:write', 'DELETE'],
])('%s is needed and enough for %s', async (needed, method) => {
  const scopes: readonly Scope[] = ['functions:read', 'functions:write', 'tasks:execute']
  for (const scope of scopes) {
    await put('guarded', 'exit(1)')
    const token = await server.token({ account: server.account, scopes: [scope] })
    const body = method === 'PUT' ? { body: 'exit(2)', headers: javascript } : {}
    const { status } = await server.rest(method, pathOf('guarded'), { token, ...body })
    if (scope === needed) expect([200, 204]).toContain(status)
    else expect(status).toBe(403)
  }
  const unknown = await server.rest(method, pathOf('guarded'), { token: null })
  expect(unknown.status).toBe(401)
})

test('a function of another account is an unknown one', async () => {
  await put('foreign', 'exit(1)')
  const token = await server.token({ account: `${server.account}-other` })
  for (const method of ['GET', 'DELETE'])
    expect((await server.rest(method, pathOf('foreign'), { token })).status).toBe(404)
  expect((await get('foreign')).status).toBe(200)
})

test('a request under an idempotency key is done once, and another one under it is refused', async () => {
  const headers = { 'idempotency-key': 'put-keyed' }
  const first = await put('keyed', '1', headers)
  await server.rest('DELETE', pathOf('keyed'))
  const again = await put('keyed', '1', headers)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const etag = first.headers.get('etag')
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([201, first.text, etag])
  expect((await get('keyed')).status).toBe(404)
  const others: [string, Headers][] = [
    ['2', {}],
    ['1', { 'if-none-match': '*' }],
    ['1', { 'content-type': 'application/json' }],
    ['1', { query: '?make_live=true' }],
  ]
  for (const [source, more] of others) {
    const other = await put('keyed', source, { ...headers, ...more })
    expect(problem(other), JSON.stringify(more)).toMatchObject({ status: 409, reason: 'KEY_REUSED' })
  }
  await put('keyed', '1')
  const removal = { headers: { 'idempotency-key': 'delete-keyed' } }
  for (const _ of [1, 2]) expect((await server.rest('DELETE', pathOf('keyed'), removal)).status).toBe(204)
})

describe('curl', () => {
  const run = promisify(execFile)
  const curl = async (...options: string[]) => {
    const authorization = `Authorization: Bearer ${server.adminToken}`
    return (await run('curl', ['-sS', '-H', authorization, ...options])).stdout
  }

  test('-T saves a file, and a large one after `100 Continue`', async () => {
    const file = join(folder, 'priority.js')
    const source = `//${'é'.repeat(120_000)}\nexit(1)\n`
    await writeFile(file, source)
    const url = `${server.baseUrl}${pathOf('curled')}`
    const saved = await curl('-T', file, '-H', 'Expect: 100-continue', url)
    expect(saved.split('\n')).toHaveLength(1)
    expect(JSON.parse(saved)).toMatchObject({ function: { live_version: hashOf(source) } })
    expect(await curl('-H', 'Accept: text/javascript', url)).toBe(source)
    const chunked = await curl('-T', file, '-H', 'Transfer-Encoding: chunked', `${url}-2`)
    expect(JSON.parse(chunked)).toMatchObject({ function: { name: 'curled-2', version: hashOf(source) } })
  })

  test('--data-binary is refused, and the message names -T', async () => {
    const file = join(folder, 'form.js')
    await writeFile(file, 'exit(1)')
    const url = `${server.baseUrl}${pathOf('curled-form')}`
    const answer = JSON.parse(await curl('--data-binary', `@${file}`, '-X', 'PUT', url))
    expect(answer).toMatchObject({ status: 415, detail: expect.stringContaining('`curl -T file.js`') })
  })
})

test('a source that is announced as too long is refused before it is sent', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sending = request(`${server.baseUrl}${pathOf('announced')}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.adminToken}`, 'content-length': 300_000 },
  })
  sending.once('response', response => resolve(response.resume().statusCode))
  sending.once('error', reject)
  sending.flushHeaders()
  expect(await promise).toBe(413)
  sending.destroy()
})
