import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const save = (type: string, data: string) =>
  `mutation (${type}) { saveCase(input: { caseTypeCode: "order", data: ${data} }) { case { data } } }`

test.each([
  ['$due: DateTime', '{ due: $due }', { due: '2026-12-01T09:00:00Z' }, 'DateTime'],
  ['$due: [DateTime!]!', '{ due: { all: [1, $due] } }', { due: ['2026-12-01T09:00:00Z'] }, 'DateTime'],
  ['$due: HookEvent', '{ due: $due }', { due: 'PRE_SAVE' }, 'HookEvent'],
  ['$due: SaveTeamInput', '{ due: $due }', { due: { id: 1 } }, 'SaveTeamInput'],
])('inside a JSON value `%s` is refused, and nothing is stored', async (type, data, variables, name) => {
  const { body } = await app.graphql(save(type, data), variables)
  expect(body.data).toBeUndefined()
  expect(body.errors).toMatchObject([
    {
      message: `A variable inside a JSON value cannot be a \`${name}\`; declare \`$due\` as \`JSON\`.`,
      locations: [{ line: 1, column: save(type, data).lastIndexOf('$due') + 1 }],
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ])
})

test('a variable of an unknown argument is no fault of JSON', async () => {
  const { body } = await app.graphql('query ($due: DateTime) { runs(nope: $due) { nodes { id } } }')
  expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
    'Unknown argument "nope" on field "Query.runs".',
  ])
})

test('variables of built-in scalars and JSON are stored as they were sent', async () => {
  const types = '$text: String, $list: [Int!]!, $flag: Boolean, $ratio: Float, $json: JSON, $id: ID'
  const variables = { text: 'a', list: [1], flag: true, ratio: 1.5, json: { due: 'PRE_SAVE' }, id: 'x' }
  const data = '{ text: $text, list: $list, flag: $flag, ratio: $ratio, json: $json, id: [$id] }'
  const { body } = await app.graphql(save(types, data), variables)
  expect(body.data?.saveCase.case.data, JSON.stringify(body)).toEqual({ ...variables, id: ['x'] })
})

test.each(['due', 'constructor', 'toString', '__proto__'])(
  '$%s is null inside a JSON value if it is not sent',
  async name => {
    const query = save(`$${name}: JSON`, `{ value: $${name} }`)
    // After eight executions the document has a plan.
    for (let times = 0; times < 10; times++) {
      const { body } = await app.graphql(query)
      expect(body).toEqual({ data: { saveCase: { case: { data: { value: null } } } } })
    }
  },
)
