import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepDoing } from '../../server/clients/keep-doing.ts'
import { freshId } from '../../server/clients/memberships.ts'
import type { MembershipBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

const path = '/platform/team_memberships'
const pair = () => ({ user_id: freshId(), team_id: freshId() })

let hung: TestServer
let other: TestServer
beforeAll(async () => {
  const settings = { DATABASE_URL: await createDatabase(), ROSTRUM_SANDBOXES: '1' }
  hung = await startServer({ ...settings, ROSTRUM_ADMIN_TOKEN: 'the-token-of-both-gateways' })
  other = await startServer({ ...settings, ROSTRUM_ADMIN_TOKEN: 'the-token-of-both-gateways' })
})
afterAll(async () => {
  await Promise.all([hung.stop(), other.stop()])
})

const token = 'the-token-of-both-gateways'
const keyed = () => ({ token, headers: { 'idempotency-key': randomUUID() } })

async function addOne(server: TestServer): Promise<number> {
  const body = { team_membership: pair() }
  const answer = await server.rest<MembershipBody>('POST', path, { ...keyed(), body })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body.team_membership.id
}

async function change(server: TestServer, method: string, target: string, body?: object): Promise<void> {
  const answer = await server.rest(method, target, { ...keyed(), ...(body && { body }) })
  if (answer.status >= 300) throw new Error(`${method} ${answer.status} ${answer.text}`)
}

const move = async (server: TestServer, id: number) =>
  change(server, 'PUT', `${path}/${id}`, { team_membership: { team_id: freshId() } })

const remove = async (server: TestServer) => change(server, 'DELETE', `${path}/${await addOne(server)}`)

async function addMany(server: TestServer): Promise<void> {
  const items = Array.from({ length: 100 }, () => ({ userId: freshId(), teamId: freshId() }))
  const query =
    'mutation($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }'
  const answer = await server.rest('POST', '/graphql', { ...keyed(), body: { query, variables: { items } } })
  if (!answer.text.includes('"applied":true')) throw new Error(`bulk ${answer.status} ${answer.text}`)
}

async function saveFunction(server: TestServer): Promise<void> {
  const query = 'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { name } }'
  const variables = { input: { name: 'saved-by-both', sourceCode: `exit('${randomUUID()}')` } }
  const answer = await server.rest('POST', '/graphql', { ...keyed(), body: { query, variables } })
  if (answer.text.includes('"errors"')) throw new Error(`function ${answer.status} ${answer.text}`)
}

async function saveUser(server: TestServer): Promise<void> {
  await change(server, 'PUT', '/platform/users/1', { user: { display_name: randomUUID() } })
}

// PostgreSQL ends an idle transaction after 1.5 s, so changes that wait for two of them in turn take 3 s.
test.each([
  ['keyed moves, removals and saves', 'none of its changes', 1_000, () => [remove, saveUser]],
  ['these and bulks', 'one of its changes', 2_500, () => [remove, saveUser, addMany]],
  ['saves of a function', 'one of its changes', 2_500, () => [saveFunction, saveFunction]],
])('while a gateway hangs during %s, changes at another one wait for %s', async (name, _, maxMs, hanging) => {
  const id = await addOne(other)
  const moveOne = () => move(hung, id)
  // Whatever becomes of these changes.
  const changing = [moveOne, moveOne, ...hanging()].map(work =>
    keepDoing(() => work(hung).catch(() => sleep(10)), 2),
  )
  const works = { move: () => move(other, id), remove, add: addOne, addMany, saveUser, saveFunction }
  const slowest: Record<string, number> = {}
  for (let round = 1; round <= 6; round += 1) {
    await sleep(300 + 37 * round)
    process.kill(hung.pid, 'SIGSTOP')
    try {
      const start = performance.now()
      await Promise.all(
        Object.entries(works).map(async ([kind, work]) => {
          await work(other)
          slowest[kind] = Math.max(slowest[kind] ?? 0, Math.round(performance.now() - start))
        }),
      )
    } finally {
      process.kill(hung.pid, 'SIGCONT')
    }
  }
  await Promise.all(changing.map(each => each.stop()))
  console.log(`slowest change, in ms, beside a gateway that hangs in the midst of ${name}:`, slowest)
  for (const ms of Object.values(slowest)) expect(ms).toBeLessThan(maxMs)
})
