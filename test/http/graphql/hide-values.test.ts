import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const saveWebhook = (verification: string, before = '') =>
  `mutation ${before} { saveWebhook(input: { name: "a", functionName: "a", verification: ${verification} }) {
    webhook { id } } }`
const runs = (given: string, before = '') => `query ${before} { runs(${given}) { nodes { id } } }`
const save = (data: string) =>
  `mutation { saveCase(input: { caseTypeCode: "a", data: ${data} }) { case { id } } }`
// A value that ends as the message about it does.
const forged = 'hunter2\\" does not exist in \\"Other\\" enum. hunter2'

describe('an error does not repeat the value', () => {
  test.each([
    ...['hunter2', '"hunter2"', `"${forged}"`, '["hunter2"]', '{ a: "hunter2" }', '"""hunter2"""'].flatMap(
      value => [
        saveWebhook(value),
        saveWebhook('$v', `($v: WebhookVerification = ${value})`),
        runs(`filter: { outcome: ${value} }`),
        runs(`filter: { startedAfter: ${value} }`),
        runs(`first: ${value}`),
        runs('first: $first', `($first: Int = ${value})`),
        `mutation { saveTeam(input: { id: ${value.replaceAll('"', '')}, name: 1 }) { id } }`,
      ],
    ),
    ...['hunter2', '"hunter2"', '["hunter2"]'].map(value => runs(`filter: ${value}`)),
    ...['hunter2', '{ password: hunter2 }', '{ a: [1, { b: hunter2 }] }'].map(save),
    ...['hunter2', '{ a: hunter2 }'].map(
      name => `mutation { saveTeam(input: { id: 1, name: ${name} }) { id } }`,
    ),
    '{ team(id: 1 "hunter2") { id } }',
    '{ team(id: { a: hunter2 }) { id } }',
    '{ team(id: "hunter2',
    '{ viewer @include(if: "hunter2") { email } }',
  ])('in the document: %s', async query => {
    const { text, body } = await app.graphql(query)
    expect(body.errors?.[0].extensions.code, text).toBe('BAD_USER_INPUT')
    expect(text).not.toContain('hunter2')
  })

  test.each(
    ['hunter2', forged.replaceAll('\\', ''), ['hunter2'], { a: 'hunter2' }].flatMap(v => [
      ['WebhookVerification', saveWebhook('$v', '($v: WebhookVerification)'), v] as const,
      ['Int', runs('first: $v', '($v: Int)'), v] as const,
      ['RunFilter', runs('filter: $v', '($v: RunFilter)'), { outcome: v }] as const,
      ['RunFilter', runs('filter: $v', '($v: RunFilter)'), { startedAfter: v }] as const,
      ['[ID!]!', '($v: [ID!]!) { teamMemberships(ids: $v) { id } }', { a: v }] as const,
    ]),
  )('in a variable of the type %s', async (_type, query, v) => {
    const { text, body } = await app.graphql(query.startsWith('(') ? `query ${query}` : query, { v })
    expect(body.errors?.[0].extensions.code, text).toBe('BAD_USER_INPUT')
    expect(text).not.toContain('hunter2')
  })
})

test('an error about an enum names the enum', async () => {
  const { body } = await app.graphql(saveWebhook('hunter2'))
  expect(body.errors).toMatchObject([
    { message: 'The value does not exist in "WebhookVerification" enum.', locations: [{ line: 1 }] },
  ])
})
