import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeBadLabel } from '../../src/domain/directory/directory.ts'
import { checkSecret } from '../../src/domain/webhooks/secret-rules.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const nul = 'must not contain NUL (`\\u0000`)'
const half = 'must not contain an unpaired surrogate (such as `\\ud800` alone)'
const escaped = ': write it as an escape, such as `\\0` or `\\ud800`'

test.each([
  ['a\0b', nul],
  ['\udc00', half],
  ['key 🔑'.slice(0, -1), half],
])('what is wrong with %j is said wherever it cannot be stored', async (text, problem) => {
  const refusals = [
    ['PUT', '/platform/teams/1', { team: { name: text } }, problem],
    ['PUT', '/platform/users/1', { user: { display_name: text } }, problem],
    ['PUT', '/platform/users/1', { user: { email: `${text.trim().replace(' ', '')}@example.com` } }, problem],
    ['PUT', '/platform/functions/f', { function: { source_code: '', comment: text } }, problem],
    [
      'PUT',
      '/platform/functions/f',
      { function: { source_code: `exit("${text}")` } },
      `${problem}${escaped}`,
    ],
  ] as const
  for (const [method, path, body, detail] of refusals) {
    const answer = await app.send(path, { method, body })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, detail])
    expect(answer.body.detail).toBe(`\`${answer.body.errors[0].pointer.slice(1)}\` ${detail}.`)
  }
  const saveType = 'mutation($input: SaveCaseTypeInput!) { saveCaseType(input: $input) { code } }'
  const { body } = await app.graphql(saveType, { input: { code: 'x', indexedFields: ['ok', text] } })
  expect(body.errors[0].extensions.errors).toEqual([{ pointer: '/indexedFields/1', detail: problem }])
})

test('an emoji is one character of a name, a comment and a label, as in the OpenAPI document', async () => {
  const emoji = (count: number) => '😀'.repeat(count)
  const task = { sourceCode: 'exit(1)', inputDocument: {}, options: {} }
  const saved = async (path: string, body: object, method = 'PUT') =>
    (await app.send(path, { method, body })).status
  for (const [more, status] of [
    [0, 200],
    [1, 400],
  ] as const) {
    const name = emoji(200 + more)
    expect(await saved('/platform/teams/1', { team: { name } })).toBe(status)
    expect(await saved('/platform/users/1', { user: { display_name: name } })).toBe(status)
    expect(await saved('/platform/users/1', { user: { email: `${emoji(308 + more)}@example.com` } })).toBe(
      status,
    )
    expect(await saved('/api/1/endpoint/execute', { name, ...task }, 'POST')).toBe(status)
    const version = { source_code: 'exit(1)', comment: emoji(1_000 + more) }
    expect(await saved('/platform/functions/f', { function: version })).toBe(more === 0 ? 201 : 400)
  }
})

test('an unpaired surrogate is named in a label and a secret, where no control character is allowed', () => {
  expect(describeBadLabel('\ud800')).toBe(half)
  expect(checkSecret('github', `${'x'.repeat(16)}\ud800`)).toEqual([{ pointer: '/secret', detail: half }])
  expect(describeBadLabel('a\0b')).toMatch(/control character$/)
  expect(checkSecret('github', `${'x'.repeat(16)}\0`)[0]?.detail).toMatch(/control character$/)
})
