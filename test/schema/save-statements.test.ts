import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { saveHook, startSandboxes } from '../http/rest/save-hook.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
  await startSandboxes(app)
})
afterAll(() => app.close())

const create = (caseTypeCode: string) =>
  app.graphql('mutation($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }', {
    input: { caseTypeCode, data: { n: 0 } },
  })

/** The statements of a save of the case, in order. */
async function save(id: string, n: number): Promise<readonly string[]> {
  const before = app.statements.length
  const document = 'mutation($input: SaveCaseInput!) { saveCase(input: $input) { saved } }'
  const { body } = await app.graphql(document, { input: { id, data: { n } } })
  expect(body.data.saveCase).toEqual({ saved: true })
  return app.statements.slice(before)
}

const about = (statements: readonly string[], table: string) =>
  statements.filter(text => new RegExp(`\\b${table}\\b`).test(text)).length

const reads = (statements: readonly string[], table: string) =>
  statements.filter(text => new RegExp(`^\\s*select [^()]*from "?${table}\\b`).test(text)).length

test('a save without hooks looks for them once for each revision of its type, the next reads nothing', async () => {
  const { body } = await create('plain')
  const { id } = body.data.saveCase.case
  const first = await save(id, 1)
  const second = await save(id, 2)
  expect([about(first, 'hooks'), about(second, 'hooks'), about(second, 'runs')]).toEqual([1, 0, 0])
  expect([reads(first, 'cases'), reads(second, 'cases')]).toEqual([1, 0])
  // The look for hooks, the case and its type.
  expect(first.length - second.length).toBe(3)
})

test('each hook of a save costs no further statement', async () => {
  const costs: number[] = []
  for (const hooks of [1, 3]) {
    const caseTypeCode = `hooked-${hooks}`
    const { body } = await create(caseTypeCode)
    for (let count = 0; count < hooks; count++) await saveHook(app, 'exit(payload)', { caseTypeCode })
    const statements = await save(body.data.saveCase.case.id, 1)
    expect([about(statements, 'hooks'), about(statements, 'run_inputs')]).toEqual([1, 1])
    costs.push(statements.length)
  }
  expect(costs[1]).toBe(costs[0])
})

test('30 cases with the runs of their hooks cost two statements, and two cost as many', async () => {
  const caseTypeCode = 'listed'
  await saveHook(app, 'exit(payload)', { caseTypeCode })
  const ids: string[] = []
  for (let count = 0; count < 30; count++) ids.push((await create(caseTypeCode)).body.data.saveCase.case.id)
  for (const size of [2, 30]) {
    const before = app.statements.length
    const document = `query($ids: [ID!]!) {
      casesByIds(ids: $ids) { id runs(first: 2) { edges { node { id event state } } } }
    }`
    const { body } = await app.graphql(document, { ids: ids.slice(0, size) })
    expect(
      body.data.casesByIds.every(({ runs }: { runs: { edges: object[] } }) => runs.edges.length === 1),
    ).toBe(true)
    expect(app.statements.length - before).toBeLessThanOrEqual(2)
  }
})

test('runs by their ids under two aliases cost one statement', async () => {
  const { body } = await app.graphql('{ runs(first: 2) { nodes { id } } }')
  const [one, two] = body.data.runs.nodes
  const before = app.statements.length
  const document = 'query($one: ID!, $two: ID!) { a: run(id: $one) { id } b: run(id: $two) { id } }'
  const answer = await app.graphql(document, { one: one.id, two: two.id })
  expect(answer.body.data).toEqual({ a: one, b: two })
  expect(app.statements.length - before).toBe(1)
})
