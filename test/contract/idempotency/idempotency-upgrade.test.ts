import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes as allScopes } from '../../../src/credentials/caller.ts'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { writeRows } from '../../store/databases/write-rows.ts'

const method = 'PUT'
const path = '/platform/teams/3'
const scopes = allScopes.filter(scope => scope !== 'admin').toSorted()

describe.each(['SQLite', 'PostgreSQL'])('on %s, after an upgrade', engine => {
  const folder = makeTempFolder()
  let app: TestApp
  let url: string
  let token: string
  let userId: number

  beforeAll(async () => {
    url = engine === 'SQLite' ? `sqlite:${folder.path}/rostrum.db` : await createDatabase()
    app = await startApp({ DATABASE_URL: url })
    token = await app.issueToken('demo')
    const { body } = await app.graphql('{ viewer { userId } }', {}, token)
    userId = Number(body.data.viewer.userId)
  })
  afterAll(async () => {
    await app.close()
    folder.remove()
  })

  const save = (key: string, name: string, as = token, more: Readonly<Record<string, string>> = {}) =>
    app.send(path, {
      method,
      token: as,
      headers: { 'idempotency-key': key, ...more },
      body: { team: { name } },
    })
  const isReplayed = ({ headers }: Awaited<ReturnType<typeof save>>) =>
    headers.get('idempotency-replayed') === 'true'

  // What gateways before this version have written: the digest alone, without a version.
  function oldFingerprint(name: string): string {
    const body = createHash('sha256').update(JSON.stringify({ team: { name } }))
    const who = [userId, null, null, null, scopes]
    const parts = [method, path, null, who, [false, body.digest('base64')]]
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  }

  async function makeOld(key: string, fingerprint: string, rest = ''): Promise<void> {
    const bytes = engine === 'SQLite' ? `x'${fingerprint}'` : `'\\x${fingerprint}'::bytea`
    await writeRows(url, `update idempotency_keys set fingerprint = ${bytes} ${rest} where key = '${key}'`)
  }

  test('a key that an old gateway answered is replayed, and refuses another request', async () => {
    expect(isReplayed(await save('answered', 'Blue'))).toBe(false)
    await makeOld('answered', oldFingerprint('Blue'))
    const replayed = await save('answered', 'Blue')
    expect([replayed.status, isReplayed(replayed)]).toEqual([200, true])
    const other = await app.issueToken('demo')
    for (const refused of [await save('answered', 'Red'), await save('answered', 'Blue', other)]) {
      expect([refused.status, refused.body.reason]).toEqual([409, 'KEY_REUSED'])
    }
  })

  test.each([
    ['Prefer', 'handling=strict'],
    ['If-None-Match', '"none"'],
  ])('a key that an old gateway answered under `%s: %s`, which it ignored, is replayed', async (name, value) => {
    const more = { [name]: value }
    expect(isReplayed(await save(name, 'Blue', token, more))).toBe(false)
    await makeOld(name, oldFingerprint('Blue'))
    expect(isReplayed(await save(name, 'Blue', token, more))).toBe(true)
  })

  test('a key whose old gateway died is taken over, and refuses another request', async () => {
    await save('cut', 'Blue')
    await makeOld('cut', oldFingerprint('Blue'), ', answer = null')
    expect((await save('cut', 'Red')).body.reason).toBe('KEY_REUSED')
    expect(isReplayed(await save('cut', 'Blue'))).toBe(false)
    expect(isReplayed(await save('cut', 'Blue'))).toBe(true)
  })

  test('a key of a version that this gateway does not know refuses every request', async () => {
    await save('later', 'Blue')
    await makeOld('later', `03${oldFingerprint('Blue')}`)
    expect((await save('later', 'Blue')).body.reason).toBe('KEY_REUSED')
    await makeOld('later', `02${oldFingerprint('Blue')}`)
    expect(isReplayed(await save('later', 'Blue'))).toBe(true)
  })
})
