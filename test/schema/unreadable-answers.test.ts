import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'

let app: TestApp
let token: string
let caseId: string

// The token may change cases and not read runs.
beforeAll(async () => {
  app = await startApp()
  token = await app.issueToken('demo', ['cases:write', 'functions:write', 'tasks:execute'])
  const sourceCode = 'exit({ ...payload, ran: true })'
  const input = { name: 'mark', sourceCode }
  const saved = await change('mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', {
    input,
  })
  const task = { caseTypeCode: 'incident', name: 'mark', functionId: saved.body.data.saveFunction.id }
  await change('mutation ($input: SaveCaseTaskInput!) { saveCaseTask(input: $input) { id } }', {
    input: task,
  })
})

afterAll(() => app.close())

beforeEach(async () => {
  const { body } = await change(
    'mutation { saveCase(input: { caseTypeCode: "incident", data: {} }) { case { id } } }',
  )
  caseId = body.data.saveCase.case.id
})

const change = (query: string, variables: Record<string, unknown> = {}) =>
  app.graphql(query, variables, token)

const readCase = async () => {
  const { body } = await app.graphql('query ($id: ID!) { case(id: $id) { data version } }', { id: caseId })
  return body.data.case
}

const save = 'saveCase(input: { id: $id, data: { x: 1 } })'
const runs = 'runs { id }'
const ofCase = 'runs { nodes { id } }'

const unreadable: readonly (readonly [string, string, string])[] = [
  ['a save', `($id: ID!) { ${save} { saved ${runs} } }`, 'CaseChange.runs'],
  ['a save, of its case', `($id: ID!) { ${save} { case { ${ofCase} } } }`, 'Case.runs'],
  [
    'a save, in a fragment',
    `($id: ID!) { ${save} { ...Of } } fragment Of on CaseChange { ${runs} }`,
    'CaseChange.runs',
  ],
  ['a save, in an inline fragment', `($id: ID!) { ${save} { ... { ${runs} } } }`, 'CaseChange.runs'],
  [
    'a save, on a condition',
    `($id: ID!, $yes: Boolean = true) { ${save} { saved ... @include(if: $yes) { ${runs} } } }`,
    'CaseChange.runs',
  ],
  ['a deletion', `($id: ID!) { deleteCase(id: $id) { id ${ofCase} } }`, 'Case.runs'],
  [
    'a task, of the change of its case',
    `($id: ID!) { runCaseTask(caseId: $id, name: "mark") { execution { id } change { ${runs} } } }`,
    'CaseChange.runs',
  ],
]

test.each(unreadable)(
  '%s that asks for runs without `runs:read` changes nothing',
  async (_, operation, field) => {
    const { status, body } = await change(`mutation ${operation}`, { id: caseId })
    expect(status).toBe(403)
    expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN', scope: 'runs:read' } }])
    expect(body.errors[0].message).toContain(`\`${field}\``)
    expect(await readCase()).toEqual({ data: {}, version: 1 })
  },
)

test('it changes what comes before it in the operation, and nothing after that', async () => {
  const operation = `mutation ($id: ID!) {
    a: saveCase(input: { id: $id, data: { a: 1 } }) { saved }
    b: saveCase(input: { id: $id, data: { b: 1 } }) { ${runs} }
  }`
  const { body } = await change(operation, { id: caseId })
  expect(body.data).toEqual({ a: { saved: true }, b: null })
  expect(body.errors).toMatchObject([{ path: ['b'], extensions: { code: 'FORBIDDEN' } }])
  expect(await readCase()).toEqual({ data: { a: 1 }, version: 2 })
})

test('a field that a condition leaves out is not asked for', async () => {
  const operation = `mutation ($id: ID!, $no: Boolean = false) { ${save} { saved ... @include(if: $no) { ${runs} } } }`
  const { body } = await change(operation, { id: caseId })
  expect(body).toEqual({ data: { saveCase: { saved: true } } })
})

test('a field that may be null is null beside the answer about the change', async () => {
  const input = { id: '5' }
  const writer = await app.issueToken('demo', ['memberships:write'])
  const operation = `mutation ($input: SaveUserInput!) {
    saveUser(input: $input) { id memberships { nodes { id user { memberships { nodes { id } } } } } }
  }`
  const { body } = await app.graphql(operation, { input }, writer)
  expect(body.data).toEqual({ saveUser: { id: '5', memberships: null } })
  expect(body.errors).toMatchObject([
    { path: ['saveUser', 'memberships'], extensions: { code: 'FORBIDDEN' } },
  ])
})

describe('a credential without `functions:read`', () => {
  const saving = {
    saveFunction: 'saveFunction(input: { name: "mark", sourceCode: "exit(1)" })',
    makeVersionLive: `makeVersionLive(functionId: $function, hash: "${'0'.repeat(64)}")`,
    removeFunction: 'removeFunction(id: $function)',
    saveHook:
      'saveHook(input: { id: $hook, caseTypeCode: "incident", event: PRE_SAVE, functionId: $function, enabled: true })',
    removeHook: 'removeHook(id: $hook)',
    saveCaseTask:
      'saveCaseTask(input: { id: $task, caseTypeCode: "incident", name: "other", functionId: $function })',
    removeCaseTask: 'removeCaseTask(id: $task)',
    saveWebhook:
      'saveWebhook(input: { id: $webhook, name: "other", functionId: $function, verification: STANDARD })',
    rotateWebhookSecret: 'rotateWebhookSecret(id: $webhook)',
    removeWebhook: 'removeWebhook(id: $webhook)',
  }
  const source = 'live { sourceCode }'
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const found = await app.graphql('{ functions { nodes { id } } caseTasks { id } }')
    ids.function = found.body.data.functions.nodes[0].id
    ids.task = found.body.data.caseTasks[0].id
    const { body } = await app.graphql(
      `mutation ($function: ID!) {
        saveHook(input: { caseTypeCode: "incident", event: PRE_SAVE, functionId: $function, enabled: false }) { id }
        saveWebhook(input: { name: "sender", functionId: $function, verification: STANDARD }) { webhook { id } }
      }`,
      ids,
    )
    ids.hook = body.data.saveHook.id
    ids.webhook = body.data.saveWebhook.webhook.id
  })

  const readAll = async () => {
    const { body } = await app.graphql(`{
      functions { nodes { id ${source} versions { nodes { hash } } } } hooks { id enabled }
      caseTasks { id name } webhooks { id name }
    }`)
    return body
  }

  test.each([
    ['saveFunction', source, 'FunctionVersion.sourceCode'],
    ['makeVersionLive', source, 'FunctionVersion.sourceCode'],
    ['removeFunction', source, 'FunctionVersion.sourceCode'],
    ['saveHook', 'function { name }', 'Hook.function'],
    ['removeHook', `function { ${source} }`, 'Hook.function'],
    ['saveCaseTask', `function { ${source} }`, 'CaseTask.function'],
    ['removeCaseTask', 'function { id }', 'CaseTask.function'],
    ['saveWebhook', `webhook { function { ${source} } }`, 'Webhook.function'],
    ['rotateWebhookSecret', `webhook { function { ${source} } }`, 'Webhook.function'],
    ['removeWebhook', `function { ${source} }`, 'Webhook.function'],
  ] as const)('cannot change by `%s` and read `%s`', async (name, selection, field) => {
    const before = await readAll()
    const used = Object.keys(ids).filter(id => saving[name].includes(`$${id}`))
    const declared = used.length === 0 ? '' : `(${used.map(id => `$${id}: ID!`).join()})`
    const { status, body } = await change(`mutation ${declared} { ${saving[name]} { ${selection} } }`, ids)
    expect([status, body.errors?.[0]?.extensions]).toEqual([
      403,
      { code: 'FORBIDDEN', scope: 'functions:read' },
    ])
    expect(body.errors[0].message).toContain(`\`${field}\``)
    expect(await readAll()).toEqual(before)
  })
})
