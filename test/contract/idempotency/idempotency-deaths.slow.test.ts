import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { freshId } from '../../server/clients/memberships.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import type { MembershipBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { startUpstream } from '../../server/gateways/start-upstream.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { until } from '../../server/processes/until.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { readNames, saveNames } from './save-names.ts'

// The state of requests whose gateway was killed after the change and before the answer was kept. The key of a run
// holds from its begin the answer that the run was cut off.
const forgetAnswers = `update idempotency_keys set answer = null, holder = 'of the dead'
  where key in ('one', 'three', 'save', 'names')`

const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed')

function add(server: TestServer, key: string, userId: number): Promise<Answer<MembershipBody>> {
  const body = { team_membership: { user_id: userId, team_id: 1 } }
  return server.rest('POST', '/platform/team_memberships', { body, headers: { 'idempotency-key': key } })
}

function spin(server: TestServer, key: string): Promise<Answer> {
  return server.execute('for (;;);', { headers: { 'idempotency-key': key } })
}

function spinTask(server: TestServer, key: string): Promise<Answer> {
  return server.rest('POST', '/api/1/case/1/task/spin', { body: {}, headers: { 'idempotency-key': key } })
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
  test('after a gateway is killed under load, each key makes its change once', async () => {
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

  // One gateway does what each of these tests is about, and is killed. Another one starts on its store.
  describe('after a gateway is killed', () => {
    const folder = makeTempFolder()
    const url = `sqlite:${folder.path}/store.db`
    const saveBody = {
      query: `mutation { saveCase(input: {caseTypeCode: "incident", data: {a: 1}}) {
        txnID saved changedFields patch case { id version updatedAt } } }`,
    }
    const change = (gateway: TestServer) =>
      gateway.rest('POST', '/graphql', { body: threeChanges, headers: { 'idempotency-key': 'three' } })
    const save = (gateway: TestServer) =>
      gateway.rest('POST', '/graphql', { body: saveBody, headers: { 'idempotency-key': 'save' } })
    let server: TestServer
    let added: Answer
    let changed: Answer
    let saved: Answer
    let named: Answer
    beforeAll(async () => {
      const killed = await startServer({ DATABASE_URL: url, ROSTRUM_TASK_CPU_MS: '60000' })
      added = await add(killed, 'one', 7)
      changed = await change(killed)
      saved = await save(killed)
      named = await saveNames(killed, 'names', 'early')
      await saveNames(killed, 'later-names', 'late')
      for (const field of [
        'saveFunction(input: {name: "spin", sourceCode: "for (;;);"}) { id }',
        'saveCaseTask(input: {caseTypeCode: "incident", name: "spin", functionId: "1"}) { id }',
      ]) {
        expect((await killed.graphql(`mutation { ${field} }`)).body.errors).toBeUndefined()
      }
      const unanswered = [spin(killed, 'run'), spinTask(killed, 'task')].map(run =>
        expect(run).rejects.toThrow(),
      )
      const find = '{ runs(filter: {state: RUNNING}) { nodes { id } } }'
      await until(async () => {
        const { body } = await killed.graphql<{ runs: { nodes: unknown[] } }>(find)
        return body.data?.runs.nodes.length === unanswered.length
      })
      await killed.kill()
      await Promise.all(unanswered)
      const database = new Database(`${folder.path}/store.db`)
      database.exec(forgetAnswers)
      database.close()
      server = await startServer({ DATABASE_URL: url })
    })
    afterAll(async () => {
      await server.stop()
      folder.remove()
    })

    test('changes made before the answer could be kept are not made again', async () => {
      const answers = [await add(server, 'one', 7), await change(server)]
      expect(answers.map(({ text }) => text)).toEqual([added.text, changed.text])
      expect(answers.map(replayed)).toEqual([null, null])
      expect(replayed(await add(server, 'one', 7))).toBe('true')
      const store = await openStore({ url })
      expect(await store.events.newest('demo')).toBe(4)
      await store.close()
    })

    test('a save made before the answer could be kept is answered with its own transaction', async () => {
      const answer = await save(server)
      expect([answer.text, replayed(answer)]).toEqual([saved.text, null])
    })

    test('saves made before the answer could be kept do not replace later ones', async () => {
      const answer = await saveNames(server, 'names', 'early')
      expect([answer.text, replayed(answer)]).toEqual([named.text, null])
      expect(await readNames(server)).toEqual(['late', 'late', 'late'])
    })

    test('a run that its gateway died over is not run again', async () => {
      for (let attempt = 0; attempt < 2; attempt++) {
        const answer = await spin(server, 'run')
        expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('was cut off')])
      }
    })

    test('a case task that its gateway died over is not run again, and saved nothing', async () => {
      for (let attempt = 0; attempt < 2; attempt++) {
        const answer = await spinTask(server, 'task')
        expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('was cut off')])
      }
      const query = '{ case(id: "1") { version } runs(filter: {trigger: TASK}) { nodes { trigger state } } }'
      expect((await server.graphql(query)).body.data).toEqual({
        case: { version: 1 },
        runs: { nodes: [{ trigger: 'TASK', state: 'LOST' }] },
      })
    })
  })
})

describe('two gateways on one PostgreSQL', () => {
  let url: string
  let other: TestServer
  beforeAll(async () => {
    url = await createDatabase()
    other = await startServer({ DATABASE_URL: url })
  })
  afterAll(() => other.stop())

  test('a request longer than its claim stays with its gateway, and one that waits too long says so', async () => {
    const silent = await startUpstream(() => undefined)
    onTestFinished(() => silent.close())
    const slow = await startServer({
      DATABASE_URL: url,
      ROSTRUM_TASK_TIMEOUT_MS: '14000',
      ROSTRUM_GRAPHQL_HOSTS: silent.host,
    })
    onTestFinished(async () => void (await slow.stop()))
    const hang = (server: TestServer) =>
      server.execute(`await graphql('{ x }', {}, '${silent.url}')`, { headers: { 'idempotency-key': 'g' } })
    const first = hang(slow)
    await sleep(200)
    const second = await hang(other)
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1'])
    expect(second.text).toContain('still running')
    expect((await first).status).toBe(422)
    expect((await hang(other)).text).toBe((await first).text)
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
