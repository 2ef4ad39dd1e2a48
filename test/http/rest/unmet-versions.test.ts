import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp
const membership = '/platform/team_memberships/1'
const aCase = '/platform/cases/1'

beforeAll(async () => {
  app = await startApp()
  const pair = { team_membership: { user_id: 7, team_id: 3 } }
  const data = { case: { case_type_code: 'incident', data: {} } }
  const added = await app.send('/platform/team_memberships', { method: 'POST', body: pair })
  const saved = await app.send('/platform/cases', { method: 'POST', body: data })
  expect([added.headers.get('location'), saved.headers.get('location')]).toEqual([membership, aCase])
})

afterAll(() => app.close())

const namesNone = (record: string) =>
  `The condition names no version of ${record}: over REST \`If-Match\` takes its \`ETag\`, such as \`"1"\`, in ` +
  'quotes and without `W/`; in GraphQL `ifVersions` takes at least one version.'

const records = [
  ['team membership `1`', membership, { team_membership: { team_id: 4 } }],
  ['case `1`', aCase, { case: { data: { a: 1 } } }],
] as const

const conditions = ['W/"1"', '1', '', '"one"', 'W/"1", W/"2"']

test.each(records.flatMap(record => conditions.map(ifMatch => [...record, ifMatch] as const)))(
  'a refused change of %s says that its `If-Match` names no version: %s %j %j',
  async (record, path, body, ifMatch) => {
    const headers = { 'if-match': ifMatch }
    for (const request of [{ method: 'PUT', body }, { method: 'DELETE' }]) {
      const answer = await app.send(path, { ...request, headers })
      expect([answer.status, answer.body.code, answer.body.reason, answer.body.version]).toEqual([
        412,
        'PRECONDITION_FAILED',
        'VERSION',
        1,
      ])
      expect(answer.body.detail).toBe(namesNone(record))
    }
  },
)

test('a change with an empty `ifVersions` is refused with the same text, alone and in bulk', async () => {
  const { body } = await app.graphql(`mutation {
    moveTeamMembership(id: 1, input: { teamId: 4 }, ifVersions: []) { id }
    removeTeamMembership(id: 1, ifVersions: []) { id }
    deleteCase(id: 1, ifVersions: []) { id }
    removeTeamMemberships(items: [{ id: 1, ifVersions: [] }]) { items { error { message } } }
  }`)
  const [one, other] = [namesNone('team membership `1`'), namesNone('case `1`')]
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([one, one, other])
  expect(body.data.removeTeamMemberships.items).toEqual([{ error: { message: one } }])
})

test('a change with the `ETag` is made after all these refusals, and once', async () => {
  for (const [record, path, body] of records) {
    const etag = (await app.send(path)).headers.get('etag') ?? ''
    const change = { method: 'PUT', body, headers: { 'if-match': etag } }
    expect((await app.send(path, change)).status).toBe(200)
    const again = await app.send(path, change)
    const subject = `${record.charAt(0).toUpperCase()}${record.slice(1)}`
    const detail = `${subject} has changed since it was read: its version is now \`2\`. Read it again.`
    expect([again.status, again.body.detail]).toEqual([412, detail])
  }
})
