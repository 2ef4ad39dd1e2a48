import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProxy, type TcpProxy } from '../../faults/replicas/start-proxy.ts'
import { freshId } from '../../server/clients/memberships.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import { saveFunction } from '../../server/clients/webhooks.ts'
import type { MembershipBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { type Gate, startGate } from '../../server/processes/start-gate.ts'
import { until } from '../../server/processes/until.ts'
import { askPostgres } from '../../store/databases/ask-postgres.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { readNames, saveNames } from './save-names.ts'

// The state of a request whose gateway was killed after the change and before the answer was kept.
const forgetAnswers = `update idempotency_keys set answer = null, holder = 'of the dead'`

const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed')

function add(server: TestServer, key: string, userId: number): Promise<Answer<MembershipBody>> {
  const body = { team_membership: { user_id: userId, team_id: 1 } }
  return server.rest('POST', '/platform/team_memberships', { body, headers: { 'idempotency-key': key } })
}

describe('two gateways on one PostgreSQL', () => {
  let url: string
  let gate: Gate
  let proxy: TcpProxy
  let one: TestServer
  let other: TestServer
  beforeAll(async () => {
    url = await createDatabase()
    gate = await startGate()
    const settings = { ROSTRUM_GRAPHQL_HOSTS: gate.host, ROSTRUM_SECRETS_KEY: 'a'.repeat(64) }
    proxy = await startProxy(Number(new URL(url).port))
    const started = await Promise.all([
      startServer({ ...settings, DATABASE_URL: url.replace(/:\d+\//, `:${proxy.port}/`) }),
      startServer({ ...settings, DATABASE_URL: url }),
    ])
    one = started[0]
    other = started[1]
  })
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()])
    await Promise.all([proxy.stop(), gate.close()])
  })

  test('what one answered the other answers byte for byte', async () => {
    const userId = freshId()
    const first = await add(one, 'a', userId)
    const second = await add(other, 'a', userId)
    expect([second.status, second.text, replayed(second)]).toEqual([201, first.text, 'true'])
    expect((await add(other, 'a', freshId())).status).toBe(409)
  })

  test('of 20 at once at both one is executed, and all are answered the same', async () => {
    const userId = freshId()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => add(index % 2 === 0 ? one : other, 'b', userId)),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(answer => replayed(answer) === 'true')).toHaveLength(19)
  })

  test('a run at one is waited for at the other', async () => {
    const run = (server: TestServer) =>
      server.execute(`${gate.wait}; exit(generateGuid())`, { headers: { 'idempotency-key': 'c' } })
    const first = run(one)
    await until(() => gate.arrived() === 1)
    const second = run(other)
    gate.open()
    const answers = await Promise.all([first, second])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1].text).toBe(answers[0].text)
    expect(gate.arrived()).toBe(1)
  })

  test('changes made by a gateway that died before it kept the answer are not made again', async () => {
    const userId = freshId()
    const first = await add(one, 'd', userId)
    await askPostgres(url, `${forgetAnswers}, held_until = now() + interval '1 second' where key = 'd'`)
    const second = await add(other, 'd', userId)
    expect([second.status, second.text, replayed(second)]).toEqual([201, first.text, null])
  })

  test('saves made by a gateway that died before it kept the answer do not replace later ones', async () => {
    const first = await saveNames(one, 'names', 'early')
    await saveNames(one, 'later-names', 'late')
    await askPostgres(url, `${forgetAnswers}, held_until = now() where key = 'names'`)
    const second = await saveNames(other, 'names', 'early')
    expect([second.text, replayed(second)]).toEqual([first.text, null])
    expect(await readNames(other)).toEqual(['late', 'late', 'late'])
  })

  test('a change made after a save by a gateway of the last version, which died, is not made again', async () => {
    const query = `mutation { saveTeam(input: { id: 901, name: "Blue" }) { name }
      addTeamMembership(input: { userId: 901, teamId: 901 }) { id } }`
    const change = (server: TestServer) =>
      server.rest('POST', '/graphql', { body: { query }, headers: { 'idempotency-key': 'last' } })
    const first = await change(one)
    // That version had no step for the save, so the membership was the first one.
    await askPostgres(url, "delete from idempotency_steps where key = 'last' and result like '%Blue%'")
    await askPostgres(url, "update idempotency_steps set number = 1 where key = 'last'")
    await askPostgres(url, `${forgetAnswers}, held_until = now() where key = 'last'`)
    expect((await change(other)).text).toBe(first.text)
  })

  /** Lets the database refuse to store the answer to a request with this key. */
  async function refuseAnswer(key: string): Promise<void> {
    await askPostgres(
      url,
      `create function refuse() returns trigger language plpgsql as
        $$ begin raise exception using errcode = '57014'; end $$;
      create trigger refuse before update of answer on idempotency_keys for each row
        when (new.key = '${key}') execute function refuse()`,
    )
  }

  test('a change whose answer cannot be stored is not reported as not made', async () => {
    const userId = freshId()
    await refuseAnswer('h')
    const first = await add(one, 'h', userId)
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
    expect(first.text).toContain('a change may have been made or not')
    await askPostgres(url, 'drop function refuse cascade')
    expect((await add(one, 'h', userId)).status).toBe(201)
    expect(replayed(await add(other, 'h', userId))).toBe('true')
  })

  test('an answer with a secret is sent though it cannot be stored', async () => {
    const functionId = await saveFunction(one, 'paid', 'exit(1)')
    const query = `mutation { saveWebhook(input: { name: "paid", verification: STANDARD,
      functionId: "${functionId}" }) { secret webhook { name } } }`
    const save = () =>
      one.rest('POST', '/graphql', { body: { query }, headers: { 'idempotency-key': 'secret' } })
    await refuseAnswer('secret')
    const first = await save()
    await askPostgres(url, 'drop function refuse cascade')
    const webhook = { name: 'paid' }
    expect(first.body).toEqual({
      data: { saveWebhook: { secret: expect.stringMatching(/^whsec_/), webhook } },
    })
    // The change was made once: this is the same secret. After this answer is stored, nobody can read it again.
    expect((await save()).body).toEqual(first.body)
    expect((await save()).body).toEqual({ data: { saveWebhook: { secret: null, webhook } } })
  })

  test('a refusal while the database is gone is not kept', async () => {
    const userId = freshId()
    await proxy.closeWhile(async () => {
      expect((await add(one, 'f', userId)).status).toBe(503)
    })
    let answer = await add(one, 'f', userId)
    await until(async () => {
      if (answer.status === 503) answer = await add(one, 'f', userId)
      return answer.status !== 503
    })
    expect([answer.status, replayed(answer)]).toEqual([201, null])
    expect(replayed(await add(other, 'f', userId))).toBe('true')
  })
})
