import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { startProxy, type TcpProxy } from '../faults/start-proxy.ts'
import { freshId } from '../server/memberships.ts'
import type { Answer } from '../server/send-request.ts'
import { startServer, type TestServer } from '../server/start-server.ts'
import { makeTempFolder } from '../server/temp-folder.ts'
import type { MembershipBody } from '../server/wire-shapes.ts'
import { askPostgres } from '../store/ask-postgres.ts'
import { createDatabase } from '../store/create-database.ts'

// The state of a request whose gateway was killed after the change and before the answer was kept.
const forgetAnswers = `update idempotency_keys set answer = null, holder = 'of the dead'`

const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed')

function add(server: TestServer, key: string, userId: number): Promise<Answer<MembershipBody>> {
  const body = { team_membership: { user_id: userId, team_id: 1 } }
  return server.rest('POST', '/platform/team_memberships', { body, headers: { 'idempotency-key': key } })
}

function spin(server: TestServer, key: string): Promise<Answer> {
  return server.execute('for (;;);', { headers: { 'idempotency-key': key } })
}

const threeChanges = {
  query: `mutation { one: addTeamMembership(input: { userId: 1, teamId: 51 }) { id }
    two: addTeamMembership(input: { userId: 1, teamId: 52 }) { id }
    three: removeTeamMembership(id: 1) { id } }`,
}

/** Sixty-four at once, each of them until one fails it. */
function forEachAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = items.slice()
  const workInTurn = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  return Promise.allSettled(Array.from({ length: 64 }, workInTurn))
}

describe('SQLite', () => {
  test('of a gateway killed under load, each key makes its one change, whoever had an answer', async () => {
    const folder = makeTempFolder()
    onTestFinished(() => folder.remove())
    const url = `sqlite:${folder.path}/store.db`
    const killed = await startServer({ DATABASE_URL: url })
    const asked = Array.from({ length: 1_000 }, (_, index) => ({ key: `key-${index}`, userId: freshId() }))
    const answers = new Map<string, string>()
    let ended: Promise<void> | undefined
    await forEachAtOnce(asked, async ({ key, userId }) => {
      const answer = await add(killed, key, userId)
      answers.set(key, answer.text)
      if (answers.size === 300) ended = killed.kill()
    })
    await ended
    expect(answers.size).toBeLessThan(asked.length)

    const server = await startServer({ DATABASE_URL: url })
    const outcomes = await forEachAtOnce(asked, async ({ key, userId }) => {
      const answer = await add(server, key, userId)
      expect(answer.status).toBe(201)
      if (answers.has(key)) expect([answer.text, replayed(answer)]).toEqual([answers.get(key), 'true'])
    })
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    await server.stop()
    const store = await openStore({ url })
    expect(await store.events.newest('demo')).toBe(asked.length)
    await store.close()
  })

  test('changes made before the answer could be kept are not made again', async () => {
    const folder = makeTempFolder()
    onTestFinished(() => folder.remove())
    const url = `sqlite:${folder.path}/store.db`
    const killed = await startServer({ DATABASE_URL: url })
    const headers = { 'idempotency-key': 'three' }
    const added = await add(killed, 'one', 7)
    const changed = await killed.rest('POST', '/graphql', { body: threeChanges, headers })
    await killed.kill()
    const database = new Database(`${folder.path}/store.db`)
    database.exec(forgetAnswers)
    database.close()

    const server = await startServer({ DATABASE_URL: url })
    const answers = [
      await add(server, 'one', 7),
      await server.rest('POST', '/graphql', { body: threeChanges, headers }),
    ]
    expect(answers.map(({ text }) => text)).toEqual([added.text, changed.text])
    expect(answers.map(replayed)).toEqual([null, null])
    expect(replayed(await add(server, 'one', 7))).toBe('true')
    await server.stop()
    const store = await openStore({ url })
    expect(await store.events.newest('demo')).toBe(4)
    await store.close()
  })

  test('a run that its gateway died over is not run again', async () => {
    const folder = makeTempFolder()
    onTestFinished(() => folder.remove())
    const url = `sqlite:${folder.path}/store.db`
    const killed = await startServer({ DATABASE_URL: url })
    const unanswered = expect(spin(killed, 'run')).rejects.toThrow()
    await sleep(400)
    await killed.kill()
    await unanswered

    const server = await startServer({ DATABASE_URL: url })
    onTestFinished(async () => void (await server.stop()))
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await spin(server, 'run')
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('was cut off')])
    }
  })
})

describe('two gateways on one PostgreSQL', () => {
  let url: string
  let proxy: TcpProxy
  let one: TestServer
  let other: TestServer
  beforeAll(async () => {
    url = await createDatabase()
    proxy = await startProxy(Number(new URL(url).port))
    const started = await Promise.all([
      startServer({ DATABASE_URL: url.replace(/:\d+\//, `:${proxy.port}/`) }),
      startServer({ DATABASE_URL: url }),
    ])
    one = started[0]
    other = started[1]
  })
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()])
    await proxy.stop()
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
    const answers = await Promise.all([spin(one, 'c'), sleep(200).then(() => spin(other, 'c'))])
    expect(answers.map(({ status }) => status)).toEqual([422, 422])
    expect(answers[1].text).toBe(answers[0].text)
  })

  test('changes made by a gateway that died before it kept the answer are not made again', async () => {
    const userId = freshId()
    const first = await add(one, 'd', userId)
    await askPostgres(url, `${forgetAnswers}, held_until = now() + interval '1 second' where key = 'd'`)
    const second = await add(other, 'd', userId)
    expect([second.status, second.text, replayed(second)]).toEqual([201, first.text, null])
  })

  test('a change whose answer cannot be kept is not told as one that was not made', async () => {
    const userId = freshId()
    await askPostgres(
      url,
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception using errcode = '57014'; end $$;
      create trigger refuse before update of answer on idempotency_keys for each row
        when (new.key = 'h') execute function refuse()`,
    )
    const first = await add(one, 'h', userId)
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
    expect(first.text).toContain('a change may have been made or not')
    await askPostgres(url, 'drop function refuse cascade')
    expect((await add(one, 'h', userId)).status).toBe(201)
    expect(replayed(await add(other, 'h', userId))).toBe('true')
  })

  test('a refusal while the database is gone is not kept', async () => {
    const userId = freshId()
    await proxy.closeWhile(async () => {
      expect((await add(one, 'f', userId)).status).toBe(503)
    })
    let answer = await add(one, 'f', userId)
    for (let waited = 0; waited < 10_000 && answer.status === 503; waited += 100) {
      await sleep(100)
      answer = await add(one, 'f', userId)
    }
    expect([answer.status, replayed(answer)]).toEqual([201, null])
    expect(replayed(await add(other, 'f', userId))).toBe('true')
  })

  test('a request that takes longer than a claim stays its gateway’s, and who waits too long is told so', async () => {
    const slow = await startServer({
      DATABASE_URL: url,
      ROSTRUM_TASK_TIMEOUT_MS: '14000',
      ROSTRUM_TASK_CPU_MS: '12000',
    })
    onTestFinished(async () => void (await slow.stop()))
    const first = spin(slow, 'g')
    await sleep(200)
    const second = await spin(other, 'g')
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1'])
    expect(second.text).toContain('still in work')
    expect((await first).status).toBe(422)
    expect((await spin(other, 'g')).text).toBe((await first).text)
  })

  test('a run that its gateway died over is not run again', async () => {
    const killed = await startServer({ DATABASE_URL: url })
    const unanswered = expect(spin(killed, 'e')).rejects.toThrow()
    await sleep(400)
    await killed.kill()
    await unanswered
    // It waits until nobody holds the key any more.
    const answer = await spin(other, 'e')
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('was cut off')])
  })
})
