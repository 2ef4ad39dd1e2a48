import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { startSandboxes } from '../http/rest/save-hook.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
  await startSandboxes(app)
  for (let n = 1; n <= 9; n++) {
    await mutate(`saveFunction(input: {name: "f${n}", sourceCode: "exit(${n})"})`)
    const code = n === 1 ? 'one' : 'many'
    await mutate(`saveHook(input: {caseTypeCode: "${code}", event: PRE_SAVE, functionId: "${n}"})`)
    await mutate(`saveCaseTask(input: {caseTypeCode: "${code}", name: "t${n}", functionId: "${n}"})`)
  }
})
afterAll(() => app.close())

async function mutate(field: string): Promise<void> {
  const { body, text } = await app.graphql(`mutation { ${field} { id } }`)
  expect(body.errors, text).toBeUndefined()
}

const fields = '{ id function { name live { hash sourceCode } } }'
const query = `query($code: String) { hooks(caseTypeCode: $code) ${fields} caseTasks(caseTypeCode: $code) ${fields} }`

test('triggers with their functions, versions and sources are five statements, for one or for many', async () => {
  for (const [code, rows] of [
    ['one', 1],
    ['many', 8],
  ] as const) {
    const before = app.statements.length
    const { body, text } = await app.graphql(query, { code })
    expect(body.errors, text).toBeUndefined()
    expect([body.data.hooks.length, body.data.caseTasks.length]).toEqual([rows, rows])
    expect(app.statements.length - before).toBe(5)
  }
})

test('without a case type a list is priced for a thousand triggers, however the document was used before', async () => {
  for (const variables of [{}, { code: null }]) {
    expect((await app.graphql(query, { code: 'one' })).body.errors).toBeUndefined()
    expect((await app.graphql(query, variables)).body.errors[0].message).toContain('cost')
  }
  const literal = query.replace('query($code: String) ', '')
  expect((await app.graphql(literal.replaceAll('$code', '"one"'))).body.errors).toBeUndefined()
  expect((await app.graphql(literal.replaceAll('$code', 'null'))).body.errors[0].message).toContain('cost')
  expect((await app.graphql('{ hooks { id function { name live { hash } } } }')).body.errors).toBeUndefined()
})
