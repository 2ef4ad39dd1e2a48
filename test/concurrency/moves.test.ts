import { beforeAll, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../server/clients/memberships.ts'
import type { MembershipBody, MembershipRow } from '../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

interface UserOfTeams {
  readonly user: {
    readonly memberships: { readonly edges: readonly { readonly node: { readonly teamId: string } }[] }
  }
}

// The teams a user is in, as one read of the user's own memberships sees them.
async function readTeams(userId: number): Promise<string[]> {
  const answer = await server.graphql<UserOfTeams>(
    'query($id: ID!) { user(id: $id) { memberships { edges { node { teamId } } } } }',
    { id: userId },
  )
  return (answer.body.data?.user.memberships.edges ?? []).map(edge => edge.node.teamId)
}

test('200 parallel moves leave one row and its id, and no reader sees the user in both teams or in none', async () => {
  const [first, second] = [freshId(), freshId()]
  const row = await addMembership(server, { team_id: first })
  const path = `/platform/team_memberships/${row.id}`

  let moving = true
  const seen: string[][] = []
  const rows: MembershipRow[][] = []
  const poll = async () => {
    while (moving) {
      seen.push(await readTeams(row.user_id))
      rows.push([...(await listMemberships(server, [row.id]))])
    }
  }
  const readers = [poll(), poll()]
  const move = (_: unknown, index: number) =>
    server.rest<MembershipBody>('PUT', path, {
      body: { team_membership: { team_id: index % 2 === 0 ? second : first } },
    })
  const answers = await Promise.all(Array.from({ length: 200 }, move))
  // They may be done before the readers have looked a few times.
  while (seen.length <= 3) answers.push(...(await Promise.all(Array.from({ length: 200 }, move))))
  moving = false
  await Promise.all(readers)

  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
  expect(new Set(answers.map(answer => answer.body.team_membership.id))).toEqual(new Set([row.id]))
  expect(seen.length).toBeGreaterThan(3)
  expect(seen.filter(teams => teams.length !== 1)).toEqual([])
  expect(seen.flat().every(team => [String(first), String(second)].includes(team))).toBe(true)
  expect(rows.filter(each => each.length !== 1 || each[0]?.id !== row.id)).toEqual([])

  const [last] = await listMemberships(server, [row.id])
  expect(await readTeams(row.user_id)).toEqual([String(last?.team_id)])
  expect(last).toMatchObject({ id: row.id, user_id: row.user_id, leader: null })
})

test('parallel moves of many memberships onto one pair let one through', async () => {
  const target = { user_id: freshId(), team_id: freshId() }
  const rows = await Promise.all(Array.from({ length: 20 }, () => addMembership(server)))
  const answers = await Promise.all(
    rows.map(row =>
      server.rest('PUT', `/platform/team_memberships/${row.id}`, { body: { team_membership: target } }),
    ),
  )
  expect(answers.map(answer => answer.status).toSorted()).toEqual([
    200,
    ...Array.from({ length: 19 }, () => 409),
  ])
  expect(await readTeams(target.user_id)).toEqual([String(target.team_id)])
})

test('moves and a delete at once leave either the row or nothing, never an error', async () => {
  const row = await addMembership(server)
  const path = `/platform/team_memberships/${row.id}`
  const answers = await Promise.all([
    ...Array.from({ length: 20 }, () =>
      server.rest('PUT', path, { body: { team_membership: { team_id: freshId() } } }),
    ),
    server.rest('DELETE', path),
  ])
  expect(answers.every(answer => [200, 204, 404].includes(answer.status))).toBe(true)
  expect(answers.at(-1)?.status).toBe(204)
  expect(await listMemberships(server, [row.id])).toEqual([])
  expect(await readTeams(row.user_id)).toEqual([])
})
