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

  const save = (key: string, name: string, as = token) =>
    app.send(path, {
      method,
      token: as,
      headers: { 'idempotency-key': key },
      body: { team: { name } },
    })
  const isReplayed = ({ headers }: Awaited<ReturnType<typeof save>>) =>
    headers.get('idempotency-replayed') === 'true'

  // What gateways of the version before have written, with the e-mail address and the name of the caller.
  function oldFingerprint(name: string): string {
    const body = createHash('sha256').update(JSON.stringify({ team: { name } }))
    const who = [userId, null, null, null, scopes]
    const parts = [method, path, null, who, [false, body.digest('base64')]]
    return `02${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`
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

  test('a key whose old gateway died is taken over, and refuses another request', async () => {
    await save('cut', 'Blue')
    await makeOld('cut', oldFingerprint('Blue'), ', answer = null')
    expect((await save('cut', 'Red')).body.reason).toBe('KEY_REUSED')
    expect(isReplayed(await save('cut', 'Blue'))).toBe(false)
    expect(isReplayed(await save('cut', 'Blue'))).toBe(true)
  })

  test('a key of a version that this gateway does not know refuses every request', async () => {
    await save('later', 'Blue')
    await makeOld('later', oldFingerprint('Blue').replace(/^02/, '04'))
    expect((await save('later', 'Blue')).body.reason).toBe('KEY_REUSED')
    await makeOld('later', oldFingerprint('Blue'))
    expect(isReplayed(await save('later', 'Blue'))).toBe(true)
  })

  test('a key of an old gateway does nothing once the e-mail address has changed: it is 409', async () => {
    await save('moved', 'Blue')
    await makeOld('moved', oldFingerprint('Blue'), ', answer = null')
    await app.send(`/platform/users/${userId}`, {
      method,
      token,
      body: { user: { email: 'ann@example.com' } },
    })
    expect((await save('moved', 'Blue')).body.reason).toBe('KEY_REUSED')
  })
})
