import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const long = 'x'.repeat(201)
const task = { name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' }

async function refuse(path: string, method: string, body: unknown) {
  const answer = await app.send(path, { method, body })
  expect(answer.status).toBe(400)
  const [{ pointer }] = answer.body.errors
  return { pointer, detail: answer.body.detail }
}

test.each([
  [{ metadata: { case_type_code: long } }, '/metadata/case_type_code'],
  [{ 'metadata[case_type_code]': long }, '/metadata[case_type_code]'],
  [{ metadata: { account_nickname: long }, 'metadata[account_nickname]': 'x' }, '/metadata/account_nickname'],
  [{ metadata: null, 'metadata[account_nickname]': long }, '/metadata[account_nickname]'],
])('a refusal of REST names a label where the body has it: %#', async (metadata, pointer) => {
  const refusal = await refuse('/api/1/endpoint/execute', 'POST', { ...task, ...metadata })
  expect(refusal).toEqual({
    pointer,
    detail: `\`${pointer.slice(1)}\` must have at most 200 characters.`,
  })
})

test('a refusal of GraphQL names it as GraphQL does', async () => {
  const query = 'mutation ($input: ExecuteTaskInput!) { executeTask(input: $input) { id } }'
  const { body } = await app.graphql(query, { input: { ...task, metadata: { caseTypeCode: long } } })
  expect(body.errors[0].extensions.errors).toEqual([
    { pointer: '/metadata/caseTypeCode', detail: 'must have at most 200 characters' },
  ])
})

test.each([
  ['addTeamMembership(input: {userId: 0, teamId: 1})', '/userId'],
  ['addTeamMembership(input: {userId: 1, teamId: "x"})', '/teamId'],
  ['moveTeamMembership(id: 1, input: {userId: "9007199254740992"})', '/userId'],
  ['moveTeamMembership(id: 1, input: {teamId: "01"})', '/teamId'],
])('GraphQL names the field of a membership that is no id: %s', async (mutation, pointer) => {
  const { body } = await app.graphql(`mutation { ${mutation} { id } }`)
  expect(body.errors[0].extensions.errors).toEqual([
    { pointer, detail: 'must be an integer from 1 to 9007199254740991' },
  ])
})

test.each([
  ['', 'must have 1 to 200 characters'],
  [5, 'must be text or null; it is `5`'],
])('the text of a refusal has the names of the side that asked: %j', async (display_name, rule) => {
  const saved = await refuse('/platform/users/1', 'PUT', { user: { display_name } })
  expect(saved).toEqual({ pointer: '/user/display_name', detail: `\`user/display_name\` ${rule}.` })
})

test.each([
  ['POST', '/platform/cases', []],
  ['PUT', '/platform/cases/1', 5],
])('a refusal of %s %s names a bad case type code beside bad data', async (method, path, data) => {
  const { body } = await app.send(path, { method, body: { case: { case_type_code: 'a b', data } } })
  expect(body.errors).toEqual([
    { pointer: '/case/case_type_code', detail: expect.stringMatching(/^must start .*it is `a b`$/) },
    { pointer: '/case/data', detail: 'must be a JSON object' },
  ])
})

test('a case task needs no body, but refuses one that is null', async () => {
  const path = '/api/1/case/1/task/none'
  expect(await refuse(path, 'POST', null)).toEqual({
    pointer: '',
    detail: 'The body must be a JSON object; it is `null`.',
  })
  expect((await app.send(path, { method: 'POST' })).status).toBe(404)
})
