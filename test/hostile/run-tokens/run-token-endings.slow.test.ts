import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshId } from '../../server/clients/memberships.ts'
import type { TestServer } from '../../server/gateways/start-server.ts'
import { findDescendants, signalAll } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'
import { type HeldStage, startHeldStage, untilReady, view } from '../running-scripts/held-runs.ts'

let stage: HeldStage
let holder: HeldStage['holder']
let server: TestServer

beforeAll(async () => {
  stage = await startHeldStage({ ROSTRUM_TASK_CPU_MS: '600', ROSTRUM_SANDBOXES: '4' })
  holder = stage.holder
  server = stage.server
})
afterAll(() => stage.stop())

const status = async (token: string) => (await view(server, token)).status

describe('the token of a run is good during the run and nothing once it has ended by', () => {
  test.each([
    ['exit', 'exit(1)', 'exit'],
    ['fail', 'fail("no")', 'fail'],
    ['a throw', 'throw new Error("no")', 'RUNTIME'],
    ['running out of lines', '', 'NO_OUTCOME'],
    ['a result too large', 'exit("x".repeat(3e6))', 'LIMIT'],
    ['its budget of processor time', 'for (;;);', 'TIMEOUT'],
    [
      'a native loop that only a signal ends',
      'let text = "[" + "1,".repeat(1e5) + "1]"; for (;;) JSON.parse(text)',
      'TIMEOUT',
    ],
    ['its memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))', 'MEMORY or TIMEOUT'],
    ['the crash of its process', '"x".repeat(2 ** 28).split("")', 'CRASHED or MEMORY'],
  ])('%s', async (_, last, ending) => {
    const { token, answer, release } = await holder.hold(server, { last })
    expect(await status(token)).toBe(200)
    release()
    const { outcome, error } = (await answer).body.task_execution
    expect(ending.split(' or ')).toContain(error?.code ?? outcome)
    expect(await status(token)).toBe(401)
  })

  test('SIGKILL from outside', async () => {
    const { token, answer } = await holder.hold(server)
    signalAll(findDescendants(server.pid), 'SIGKILL')
    expect((await answer).body.task_execution.error?.code).toBe('CRASHED')
    expect(await status(token)).toBe(401)
    await untilReady(server)
  })

  test('a client that disconnects', async () => {
    const gone = new AbortController()
    const { token, answer } = await holder.hold(server, { signal: gone.signal })
    expect(await status(token)).toBe(200)
    gone.abort()
    await answer.catch(() => null)
    await until(async () => (await status(token)) === 401)
  })
})

describe('what began with the token and is not done when the run ends', () => {
  const bodies = {
    'POST /platform/team_memberships': () => ({
      team_membership: { user_id: freshId(), team_id: freshId() },
    }),
    'POST /graphql': () => ({
      query: `mutation { addTeamMembership(input: { userId: "${freshId()}", teamId: "${freshId()}" }) { id } }`,
    }),
    'POST /api/1/endpoint/execute': () => ({
      name: 'late',
      sourceCode: 'exit("ran")',
      inputDocument: '{}',
      options: '{}',
    }),
  }

  test.each(Object.entries(bodies))(
    '%s: a body that comes after the end has no effect',
    async (route, body) => {
      const { token, answer, release } = await holder.hold(server)
      const text = JSON.stringify(body())
      const head =
        `${route} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        'content-type: application/json\r\nconnection: close\r\nexpect: 100-continue\r\n' +
        `content-length: ${text.length}\r\n\r\n`
      const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1').setEncoding('utf8')
      let said = ''
      socket.on('data', piece => {
        said += piece
      })
      // The head is there before the run ends, and is found good before that of a later request.
      socket.write(head + text.slice(0, 5))
      await until(() => said.includes('\r\n\r\n'))
      expect(said).toBe('HTTP/1.1 100 Continue\r\n\r\n')
      said = ''
      expect(await status(token)).toBe(200)
      release()
      expect((await answer).status).toBe(200)
      socket.write(text.slice(5))
      await once(socket, 'close')
      expect(said).toMatch(/^HTTP\/1\.1 401 /)
      expect(said).toMatch(/^www-authenticate: Bearer/im)
      expect(said).not.toContain('"id":')
    },
  )

  test('a run inside it is ended with it', async () => {
    const outer = await holder.hold(server)
    const inner = await holder.hold(server, { credential: outer.token })
    expect(await Promise.all([status(outer.token), status(inner.token)])).toEqual([200, 200])
    outer.release()
    await outer.answer
    expect(await Promise.all([status(outer.token), status(inner.token)])).toEqual([401, 401])
    expect((await inner.answer).status).toBe(422)
  })
})

test('raced 1,000 times around the end, no request sent after the answer gets anything but 401', async () => {
  const seen = new Map<string, number>()
  const race = async () => {
    const { token, answer, release } = await holder.hold(server)
    let isOver = false
    const over = answer.then(() => {
      isOver = true
    })
    const ask = async (afterMs: number) => {
      await sleep(afterMs)
      const when = isOver ? 'after' : 'around'
      const key = `${when} ${await status(token)}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    const asked = Array.from({ length: 20 }, (_, n) => ask(n / 2))
    release()
    await Promise.all([over, ...asked])
    await Promise.all(Array.from({ length: 5 }, () => ask(0)))
  }
  for (let round = 0; round < 20; round++) await Promise.all([race(), race()])

  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(1_000)
  expect([...seen.keys()].filter(key => !['around 200', 'around 401', 'after 401'].includes(key))).toEqual([])
  expect(seen.get('after 401')).toBeGreaterThanOrEqual(200)
  expect(seen.get('around 200')).toBeGreaterThan(0)
})
