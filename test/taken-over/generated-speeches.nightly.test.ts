import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMembership, listMemberships } from '../server/clients/memberships.ts'
import type { ExecutionBody, MembershipRow } from '../server/clients/wire-shapes.ts'
import type { ObservedServer } from '../server/gateways/start-server.ts'
import { findSurvivors } from '../server/processes/child-processes.ts'
import { type GeneratedSpeech, generatedSpeech } from './generated-speech.ts'
import { speech, startTakenOver } from './start-taken-over.ts'

const atOnce = 3
// The nightly mode has more.
const rounds = Number(process.env.SPEECHES ?? 20)
// Nothing that a sandbox says once it was found out may give this user a membership.
const userOfLies = 666_666

let server: ObservedServer
let attacker: string
let neighbour: string
let row: MembershipRow
let messages = 0
let victims = 0

beforeAll(async () => {
  server = await startTakenOver({
    ROSTRUM_SANDBOXES: '5',
    ROSTRUM_WARM_SANDBOXES: '5',
    ROSTRUM_TASK_TIMEOUT_MS: '20000',
    ROSTRUM_QUEUE_WAIT_MS: '15000',
    ROSTRUM_TASK_SOURCE_BYTES: '1000000',
    LOG_LEVEL: 'error',
  })
  attacker = await server.token({
    account: 'attacker',
    scopes: ['memberships:read', 'memberships:write', 'tasks:execute'],
  })
  neighbour = await server.token({
    account: 'neighbour',
    scopes: ['memberships:read', 'memberships:write', 'tasks:execute'],
  })
  row = await addMembership(server, {}, neighbour)
})
afterAll(async () => {
  await server.stop()
})

async function attack({ deeds, ...expected }: GeneratedSpeech): Promise<{ pid: number; dies: boolean }> {
  const answer = await server.execute(speech(deeds), { token: attacker })
  const { outcome, payload, error, logs } = answer.body.task_execution
  expect({ outcome, payload, code: error?.code ?? null }).toEqual({
    outcome: expected.outcome,
    payload: expected.payload,
    code: expected.code,
  })
  const [pid, ...entries] = logs.map(({ level, data }) => ({ level, data }))
  expect(entries).toEqual(expected.entries)
  return { pid: Number(pid?.data[0]), dies: expected.dies }
}

// Runs in a real sandbox, which the taken-over process holds and does not touch.
async function runAsNeighbour(n: number): Promise<void> {
  const { body, status } = await server.execute<unknown>(
    {
      sourceCode: `log('one', payload.n)
        const { data } = await graphql(
          'query ($id: ID!) { teamMembership(id: $id) { id user { id } } viewer { accountCode } }', { id: payload.id })
        log('two')
        exit({ n: payload.n, data })`,
      inputDocument: JSON.stringify({ n, id: String(row.id) }),
    },
    { token: neighbour },
  )
  const { payload, logs } = (body as ExecutionBody).task_execution
  expect([status, payload, logs.map(({ data }) => data)]).toEqual([
    200,
    {
      n,
      data: {
        teamMembership: { id: String(row.id), user: { id: String(row.user_id) } },
        viewer: { accountCode: 'neighbour' },
      },
    },
    [['one', n], ['two']],
  ])
  victims++
}

test('whatever taken-over sandboxes say, their own runs alone bear it, and each that lies is gone', {
  timeout: 240_000,
}, async () => {
  await Promise.all([runAsNeighbour(0), runAsNeighbour(0)])
  const before = await server.observe()
  const speeches = fc.array(generatedSpeech(userOfLies), { minLength: atOnce, maxLength: atOnce })
  await fc.assert(
    fc.asyncProperty(speeches, async spoken => {
      const [, ...attacks] = await Promise.all([runAsNeighbour(messages), ...spoken.map(attack)])
      const dead = attacks.filter(({ dies }) => dies).map(({ pid }) => pid)
      expect(await findSurvivors(dead)).toEqual([])
      for (const { messages: more } of spoken) messages += more
    }),
    { numRuns: rounds, endOnFailure: true },
  )
  const after = await server.observe()
  expect(messages).toBeGreaterThan(500 * rounds)
  expect(victims).toBe(rounds + 2)
  expect(after.newPrototypeKeys).toEqual([])
  expect(after.residentBytes - before.residentBytes).toBeLessThan(150 * 2 ** 20)
  expect(after.longestTurnMs).toBeLessThan(500)
  expect(await listMemberships(server, [row.id], neighbour)).toEqual([row])
  const query = `{ user(id: ${userOfLies}) { memberships { edges { node { id } } } } }`
  expect((await server.graphql(query, {}, attacker)).body.data).toEqual({ user: null })
})
