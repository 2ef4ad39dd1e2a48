import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp
const ids: string[] = []

beforeAll(async () => {
  app = await startApp()
  for (let count = 0; count < 30; count++) {
    // Long changes are loaded apart from short ones.
    const data = { text: 'x'.repeat(count % 2 === 0 ? 10 : 6_000) }
    const { body } = await app.graphql(
      'mutation($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }',
      { input: { caseTypeCode: 'incident', data } },
    )
    ids.push(body.data.saveCase.case.id)
  }
})
afterAll(() => app.close())

async function count(query: string, variables: Record<string, unknown>): Promise<number> {
  const before = app.statements.length
  const { body } = await app.graphql(query, variables)
  expect(body.errors).toBeUndefined()
  return app.statements.length - before
}

const fields = '{ id data version events(first: 5) { nodes { kind changedFields } } }'

test('30 cases with their events cost as many statements as two', async () => {
  for (const size of [2, 30]) {
    const some = ids.slice(0, size)
    // One more for long data, which are not cached.
    expect(await count(`query($ids: [ID!]!) { casesByIds(ids: $ids) ${fields} }`, { ids: some })).toBe(4)
    expect(
      await count(`query($first: Int) { cases(first: $first) { nodes ${fields} } }`, { first: size }),
    ).toBe(3)
  }
})
