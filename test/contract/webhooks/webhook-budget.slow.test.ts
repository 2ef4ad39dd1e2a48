import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliver, type SavedWebhook, saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { writeRows } from '../../store/databases/write-rows.ts'

const keyBytes = 16 * 2 ** 10

describe.each(['SQLite', 'PostgreSQL'])('on %s', engine => {
  let server: TestServer
  let url: string
  beforeAll(async () => {
    const given = engine === 'SQLite' ? {} : { DATABASE_URL: await createDatabase() }
    const ROSTRUM_SECRETS_KEY = Buffer.alloc(32, 3).toString('base64')
    server = await startServer({ ROSTRUM_ACCOUNT_KEY_BYTES: String(keyBytes), ROSTRUM_SECRETS_KEY, ...given })
    url = server.settings.DATABASE_URL ?? ''
  })
  afterAll(() => server.stop())

  let accounts = 0
  async function save(sourceCode: string, mode: 'SYNC' | 'QUEUED' = 'SYNC') {
    const account = `budget-${++accounts}`
    const token = await server.token({ account })
    return { token, account, ...(await saveWebhook(server, { name: 'w', sourceCode, mode, token, account })) }
  }

  const send = ({ path, secret }: SavedWebhook, id: string) =>
    deliver<ProblemBody>(server, path, { headers: signStandard({ secret, id }) })

  async function countRuns(token: string): Promise<number> {
    const query = '{ runs(filter: {trigger: WEBHOOK}, first: 100) { nodes { id } } }'
    const { body } = await server.graphql<{ runs: { nodes: unknown[] } }>(query, {}, token)
    return body.data?.runs.nodes.length ?? 0
  }

  async function sendUntilRefused(webhook: SavedWebhook) {
    for (let count = 0; count < 50; count++) {
      const answer = await send(webhook, `m${count}`)
      if (answer.status === 429) return { answer, count }
      expect(answer.status).toBeLessThan(203)
    }
    throw new Error('no message was refused')
  }

  test('an answer that would fill the account is kept without its body, and not run again', async () => {
    const webhook = await save(`exit('x'.repeat(5_000))`)
    const texts: string[] = []
    for (const id of ['a', 'b', 'c']) texts.push((await send(webhook, id)).text)
    expect(new Set(texts).size).toBe(1)
    const replays = []
    for (const id of ['a', 'b', 'c']) replays.push(await send(webhook, id))
    expect(replays.map(({ headers }) => headers.get('idempotency-replayed'))).toEqual(Array(3).fill('true'))
    expect(replays.map(({ text }) => text.length)).toEqual([5_002, 0, 0])
    await expect.poll(() => countRuns(webhook.token)).toBe(3)
  })

  test.each(['SYNC', 'QUEUED'] as const)(
    '%s: a new message past the bytes is 429 and not run',
    async mode => {
      const webhook = await save('exit(1)', mode)
      const { answer, count } = await sendUntilRefused(webhook)
      // Three quarters are for messages and answers.
      expect(count).toBe(11)
      expect([answer.headers.get('retry-after'), answer.body.code]).toEqual(['60', 'OVERLOADED'])
      expect(answer.body.detail).toMatch(/^The messages and idempotency keys .* Nothing was run\./)
      await expect.poll(() => countRuns(webhook.token)).toBe(count)
      expect((await send(webhook, 'm0')).headers.get('idempotency-replayed')).toBe('true')
      expect((await send(webhook, `m${count}`)).status).toBe(429)
      // Callers of the account have the rest for their keys.
      const headers = { 'idempotency-key': 'k' }
      const body = { user: { display_name: 'Ann' } }
      const keyed = await server.rest('PUT', '/platform/users/1', { token: webhook.token, body, headers })
      expect(keyed.status).toBe(200)
      const day = engine === 'SQLite' ? 'created_at - 86400000' : `created_at - interval '24 hours'`
      await writeRows(
        url,
        `update idempotency_keys set created_at = ${day} where account_code = '${webhook.account}'`,
      )
      // A message of this age is new. It takes the room of the old one.
      const renewed = await send(webhook, 'm0')
      expect(renewed.headers.get('idempotency-replayed')).toBeNull()
      await expect.poll(() => countRuns(webhook.token)).toBe(count + 1)
    },
  )

  test('a delivery past 10,000 waiting runs is 429 and keeps no message', async () => {
    const webhook = await save('exit(1)', 'QUEUED')
    expect((await send(webhook, 'first')).status).toBe(202)
    await expect.poll(() => countRuns(webhook.token)).toBe(1)
    const setWaiting = (waiting: number) =>
      writeRows(
        url,
        `update queue_accounts set waiting = ${waiting} where account_code = '${webhook.account}'`,
      )
    await setWaiting(10_000)
    for (let time = 0; time < 2; time++) {
      const answer = await send(webhook, 'm')
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5'])
      expect(answer.body.detail).toMatch(/^10000 queued runs of this account are waiting/)
    }
    expect((await send(webhook, 'first')).headers.get('idempotency-replayed')).toBe('true')
    await setWaiting(0)
    expect((await send(webhook, 'm')).status).toBe(202)
  })
})
