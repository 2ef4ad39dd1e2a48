import { beforeAll, expect, test } from 'vitest'
import { freshId, listMemberships } from '../server/clients/memberships.ts'
import type { MembershipBody, ProblemBody } from '../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const create = (pair: { user_id: number; team_id: number }, token = server.adminToken) =>
  server.rest<MembershipBody & ProblemBody>('POST', '/platform/team_memberships', {
    body: { team_membership: pair },
    token,
  })

test('50 parallel creates of one pair are one 201 and 49 times 409 that name its id', async () => {
  const pair = { user_id: freshId(), team_id: freshId() }
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(pair)))
  const created = answers.filter(answer => answer.status === 201)
  const refused = answers.filter(answer => answer.status === 409)
  expect([created.length, refused.length]).toEqual([1, 49])
  const id = created[0]?.body.team_membership.id ?? 0
  const names = new RegExp(`\\b${id}\\b`)
  expect(refused.every(answer => names.test(answer.body.detail) && answer.body.code === 'CONFLICT')).toBe(
    true,
  )
  expect(await listMemberships(server, [id])).toEqual([{ id, ...pair, leader: null }])
})

test('parallel creates of different pairs all succeed, each with its own id', async () => {
  const team = freshId()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => create({ user_id: freshId(), team_id: team })),
  )
  expect(answers.every(answer => answer.status === 201)).toBe(true)
  expect(new Set(answers.map(answer => answer.body.team_membership.id)).size).toBe(50)
})

test('the same pair in two accounts at once is two memberships', async () => {
  const beta = await server.token({ account: `${server.account}-other`, user: 1 })
  const pair = { user_id: freshId(), team_id: freshId() }
  const answers = await Promise.all([create(pair), create(pair, beta)])
  expect(answers.map(answer => answer.status)).toEqual([201, 201])
  expect(answers[0]?.body.team_membership.id).not.toBe(answers[1]?.body.team_membership.id)
})

test('parallel creates over REST, GraphQL and scripts make one membership', async () => {
  const pair = { user_id: freshId(), team_id: freshId() }
  const mutation = `mutation {
    addTeamMembership(input: {userId: "${pair.user_id}", teamId: "${pair.team_id}"}) { id } }`
  const script = 'exit(await Platform.teamMemberships.add(payload).then(row => row.id, () => null))'
  const made = await Promise.all([
    ...Array.from({ length: 10 }, async () => (await create(pair)).body.team_membership?.id ?? null),
    ...Array.from({ length: 10 }, async () => {
      const { body } = await server.graphql<{ addTeamMembership: { id: string } | null }>(mutation)
      return body.data?.addTeamMembership?.id ?? null
    }),
    ...Array.from({ length: 10 }, async () => {
      const { body } = await server.execute<number | null>({ sourceCode: script, inputDocument: pair })
      return body.task_execution.payload
    }),
  ])
  expect(made.filter(id => id !== null)).toHaveLength(1)
})
