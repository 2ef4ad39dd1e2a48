import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'
import { runInProcess } from '../../server/processes/run-in-process.ts'
import { until } from '../../server/processes/until.ts'
import { type HeldStage, startHeldStage, view } from '../running-scripts/held-runs.ts'

let stage: HeldStage
let holder: HeldStage['holder']
let server: TestServer

beforeAll(async () => {
  stage = await startHeldStage({ LOG_LEVEL: 'trace' })
  holder = stage.holder
  server = stage.server
})
afterAll(() => stage.stop())

test('tokens are of 256 random bits, and no two are alike', async () => {
  const tokens: string[] = []
  for (let round = 0; round < 25; round++) {
    const runs = Array.from({ length: 4 }, () => server.execute<string>('exit(options.authorization)'))
    tokens.push(...(await Promise.all(runs)).map(({ body }) => body.task_execution.payload))
  }
  expect(new Set(tokens).size).toBe(100)
  expect(tokens.filter(token => !/^Bearer rrun_[\w-]{43}$/.test(token))).toEqual([])
  // Every bit is set in about half of them: eight standard deviations are never seen.
  const bytes = tokens.map(token => Buffer.from(token.slice('Bearer rrun_'.length), 'base64url'))
  const counts = Array.from({ length: 256 }, (_, bit) =>
    bytes.reduce((count, byte) => count + (((byte[bit >> 3] ?? 0) >> (bit & 7)) & 1), 0),
  )
  expect(counts.filter(count => Math.abs(count - 50) > 40)).toEqual([])
})

test('a token that is altered, cut, forged or in another place gets one and the same 401', async () => {
  const { token, release, answer } = await holder.hold(server)
  const flip = (at: number) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  const secret = token.slice('rrun_'.length)
  const sha256 = (text: string) => createHash('sha256').update(text).digest()
  const forged = [
    ...Array.from(token, (_, at) => flip(at)),
    ...[1, 5, 20, 43].map(length => token.slice(0, -length)),
    `${token}A`,
    `${token}=`,
    `${token}${token}`,
    `A${token}`,
    token.toUpperCase(),
    token.toLowerCase(),
    token.replace('rrun_', 'rst_'),
    token.replace('rrun_', 'RRUN_'),
    secret,
    'rrun_',
    `rrun_${'A'.repeat(43)}`,
    `rrun_${sha256(token).toString('base64url')}`,
    sha256(token).toString('base64'),
    sha256(token).toString('hex'),
    `rrun_${Buffer.from(secret, 'base64url').toString('hex')}`,
    'rrun___proto__',
    'rrun_constructor',
  ].filter(text => text !== token)
  const answers = await Promise.all(forged.map(text => view(server, text)))
  expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toHaveLength(1)
  expect(answers[0]?.status).toBe(401)

  const elsewhere: Record<string, string>[] = [
    { authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` },
    { authorization: token },
    { authorization: `Bearer "${token}"` },
    { authorization: `Bearer x ${token}` },
    { authorization: `Token ${token}` },
    { cookie: `token=${token}; authorization=Bearer ${token}` },
    { 'proxy-authorization': `Bearer ${token}` },
    { 'x-authorization': `Bearer ${token}` },
  ]
  for (const headers of elsewhere) {
    const path = `/graphql?query={viewer{accountCode}}&access_token=${token}`
    expect((await server.rest('GET', path, { token: null, headers })).status).toBe(401)
  }
  expect((await view(server, token)).status).toBe(200)
  release()
  await answer
})

describe('the token of a run is written nowhere', () => {
  test('not to the log, however it gets into what is logged', async () => {
    const { token, release, answer } = await holder.hold(server, {
      first: `const token = options.authorization.slice(7)
        log(options, [token], { [token]: token }, 'a' + token + 'b'); console.error(token)
        await Platform.tasks.execute({ name: token, sourceCode: 'log(payload); fail(payload)',
          inputDocument: JSON.stringify(token),
          options: { requestContext: { txnID: token, txnSource: token } },
            metadata: { case_type_code: token, account_nickname: token } })
        await graphql('query Q($a: String) { ' + token.replaceAll('-', '_') + ' }', { a: token }).catch(() => null)
        await graphql('{ viewer { email } }', {}, 'https://' + token + '.example/' + token).catch(() => null)`,
      last: 'throw new Error(options.authorization)',
    })
    const before = server.stdout().length
    await server.graphql(`query ${token.replaceAll('-', '_')} { viewer { email } }`, {}, token)
    await server.rest('GET', `/platform/users/${token}?token=${token}`, { token })
    await server.rest('GET', `/${token}`, { token, headers: { 'user-agent': token, 'x-request-id': token } })
    release()
    await answer
    await until(() => server.stdout().slice(before).includes('task ended'))
    const written = server.stdout() + server.stderr()
    expect(written).toContain('[run token]')
    expect(written).not.toContain(token)
    expect(written).not.toMatch(/rrun_[\w-]{20}/)
  })

  test('not to the store, nor to its list of tokens, while the run goes on', async () => {
    const { token, release, answer } = await holder.hold(server)
    await view(server, token)
    const { stdout } = await runInProcess('token', ['--list'], server.settings)
    expect(stdout).toContain('demo')
    expect(stdout).not.toMatch(/rrun_|run/)
    const folder = dirname((server.settings.DATABASE_URL ?? '').replace('sqlite:', ''))
    const files = readdirSync(folder).map(name => readFileSync(join(folder, name)))
    const hash = createHash('sha256').update(token).digest()
    expect(files.some(bytes => bytes.includes('demo'))).toBe(true)
    expect(files.filter(bytes => bytes.includes('rrun_') || bytes.includes(hash))).toEqual([])
    release()
    await answer
  })

  test('and to no other host, unless the script itself puts it there', async () => {
    const seen: string[] = []
    const other = await startUpstream((request, response) => {
      seen.push(JSON.stringify(request))
      sendJson(response, { data: 1 })
    })
    const own = await startServer({ ROSTRUM_GRAPHQL_HOSTS: other.host })
    await own.execute(`await graphql('{ x }', { a: 1 }, '${other.url}/'); exit()`)
    expect(seen).toHaveLength(1)
    expect(seen[0]).not.toMatch(/rrun_|bearer|authorization|cookie/i)
    await own.stop()
    await other.close()
  })
})
