import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { scopes } from '../../src/credentials/caller.ts'
import { recordRows } from '../../src/http/rest/record-rows.ts'
import { restRoutes } from '../../src/http/rest/rest-routes.ts'
import { shareServer } from '../server/gateways/share-server.ts'
import {
  describeAnswerMisfit,
  describeMisfit,
  document,
  findOperation,
  operations,
  type Schema,
} from './document.ts'

test('the document is OpenAPI 3.1, and nothing in it leads out of it', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(document).toMatchObject({ openapi: '3.1.1', info: { version }, servers: [{ url: '/' }] })
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref)
  const missing = refs.filter(ref => {
    const [, room = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/.exec(ref) ?? []
    return (
      (document.components as unknown as Record<string, Record<string, unknown>>)[room]?.[name] === undefined
    )
  })
  expect(missing).toEqual([])
})

test('a schema that allows a list says of what, because validators such as Spectral ask for it', () => {
  const without: unknown[] = []
  JSON.stringify(document, (_, value) => {
    if ([value?.type].flat().includes('array') && value.items === undefined) without.push(value)
    return value
  })
  expect(without).toEqual([])
})

test('a constant has a type, and no object has constants alone, because generators such as orval need that', () => {
  const wrong: unknown[] = []
  JSON.stringify(document.components.schemas, (_, value) => {
    if (value?.const !== undefined && value.type === undefined) wrong.push(value)
    const members = Object.values<Schema>(value?.type === 'object' ? (value.properties ?? {}) : {})
    if (members.length > 0 && members.every(member => 'const' in member)) wrong.push(value)
    return value
  })
  expect(wrong).toEqual([])
})

test('the operations are the rows of the REST side, with the ids of the contract', () => {
  const rows = restRoutes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  const others = ['POST /api/1/webhook/{account_nickname}/{name}', 'GET /health', 'GET /ready']
  const documented = operations.map(({ method, path }) => `${method} ${path}`)
  expect(documented.toSorted()).toEqual([...rows, ...others].toSorted())
  expect(operations.map(({ operationId }) => operationId).join(' ')).toBe(
    'listTeamMemberships createTeamMembership getTeamMembership updateTeamMembership deleteTeamMembership ' +
      'getUser saveUser getTeam saveTeam listCases createCase getCase replaceCase mergeCase deleteCase runCaseTask ' +
      'executeTask runFunction getFunction saveFunction deleteFunction deliverWebhook getHealth getReady',
  )
  for (const { security, summary } of operations) {
    expect(summary).not.toBe('')
    for (const scope of security.flatMap(each => each.bearer ?? [])) expect(scopes).toContain(scope)
  }
})

test('every body and every answer of success has an example that fits its schema', () => {
  const contents = operations.flatMap(({ operationId, requestBody, responses }) => [
    ...Object.entries(requestBody?.content ?? {}).map(([type, content]) => ({
      operationId,
      type,
      ...content,
    })),
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) => Object.entries(content))
      .map(([type, content]) => ({ operationId, type, ...content })),
  ])
  expect(contents.length).toBeGreaterThan(35)
  const misfits = contents.map(({ operationId, type, schema, example }) => {
    const misfit = example === undefined ? 'no example' : describeAnswerMisfit(schema, example)
    return misfit === null ? null : `${operationId} ${type}: ${misfit}`
  })
  expect(misfits.filter(Boolean)).toEqual([])
})

test('an answer has no member that is not documented, at any depth', () => {
  const { TeamMembershipBody: body = {}, TeamMembershipList: list = {} } = document.components.schemas
  const known = { id: 1, user_id: 7, team_id: 3, leader: null }
  const more = { ...known, colour: 'red' }
  expect(describeAnswerMisfit(body, { team_membership: known })).toBeNull()
  const surplus = 'has `colour`, which is not documented'
  expect(describeAnswerMisfit(body, { team_membership: more })).toBe(`/team_membership ${surplus}`)
  expect(describeAnswerMisfit(list, { team_memberships: [known, more] })).toBe(
    `/team_memberships/1 ${surplus}`,
  )
  expect(describeMisfit(body, { team_membership: more })).toBeNull()
})

test('every member of a record that a path reads is documented', () => {
  const resolve = (schema: Schema | undefined) =>
    document.components.schemas[String(schema?.$ref).replace('#/components/schemas/', '')] ?? schema
  const propertiesOf = (schema: Schema | undefined) =>
    (resolve(schema)?.properties ?? {}) as Readonly<Record<string, Schema>>
  const undocumented = recordRows.flatMap(({ method, path, operation, pointersInto }) => {
    const body = findOperation(method, path)?.requestBody?.content['application/json']?.schema
    const documented = propertiesOf(propertiesOf(body)[operation.answer.name])
    const read = Object.values(pointersInto({})).map(pointer => pointer.split('/')[2] ?? '')
    return read.filter(name => !(name in documented)).map(name => `${method} ${path} reads ${name}`)
  })
  // Read only to refuse another type.
  const refused = ['PUT', 'PATCH'].map(method => `${method} /platform/cases/:id reads case_type_code`)
  expect(undocumented).toEqual(refused)
})

test('a form has the members of `metadata` as fields, and no field of this name', () => {
  const { TaskForm: form = {} } = document.components.schemas
  const fields = { name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' }
  expect(describeMisfit(form, { ...fields, 'metadata[case_type_code]': 'incident' })).toBeNull()
  expect(describeMisfit(form, { ...fields, metadata: '{}' })).not.toBeNull()
})

test.each(['Task', 'FunctionCall'])('%s has the bracketed keys of `metadata` that JSON takes too', name => {
  const schema = document.components.schemas[name] ?? {}
  const fields = { name: 'a', sourceCode: 'exit(1)', inputDocument: {}, options: {} }
  expect(describeMisfit(schema, { ...fields, 'metadata[case_type_code]': 'incident' })).toBeNull()
  expect(describeMisfit(schema, { ...fields, 'metadata[case_type_code]': 5 })).not.toBeNull()
})

test('no status is a range or a default, and each problem document names its codes', () => {
  for (const { responses } of operations)
    for (const [status, { content = {} }] of Object.entries(responses)) {
      expect(status).toMatch(/^[2-5]\d\d$/)
      const { schema } = content['application/problem+json'] ?? {}
      if (schema === undefined) continue
      const name = String(schema.$ref ?? '').replace('#/components/schemas/', '')
      const { required, properties } = (document.components.schemas[name] ?? schema) as unknown as {
        required: string[]
        properties: { code: { enum: string[] } }
      }
      expect(required.slice(0, 5)).toEqual(['type', 'title', 'status', 'detail', 'code'])
      expect(properties.code.enum.length).toBeGreaterThan(0)
    }
})

test('a problem document lists the facts of its errors, as optional members', () => {
  const common = ['type', 'title', 'status', 'detail', 'code', 'reason', 'errors']
  const factsOf = ({ properties, required }: Schema) =>
    Object.keys(properties as object).filter(
      name => !common.includes(name) && !(required as string[]).includes(name),
    )
  const shared = (status: number) => factsOf(document.components.schemas[`Problem${status}`] ?? {})
  expect([400, 401, 403, 404, 409, 412, 429, 503].map(shared)).toEqual([
    ['bound', 'most', 'line', 'column'],
    ['error'],
    ['scope'],
    [],
    ['existing_id', 'original_status', 'location'],
    ['version', 'live_version'],
    [],
    [],
  ])
  const unprocessable = (id: string) =>
    factsOf(
      operations.find(({ operationId }) => operationId === id)?.responses[422]?.content?.[
        'application/problem+json'
      ]?.schema ?? {},
    )
  expect(unprocessable('saveFunction')).toEqual(['line', 'column'])
  expect(unprocessable('replaceCase')).toEqual(['function', 'hook', 'run_id', 'txn_id', 'error'])
})

test.for([
  ['POST', '/platform/cases', '{"case":{"case_type_code":1}}', 400],
  ['PUT', '/platform/cases/999', '{"case":{"data":{}}}', 404],
  ['DELETE', '/platform/functions/gone', undefined, 404],
  ['PUT', '/platform/functions/broken', '{"function":{"source_code":"exit("}}', 422],
] as const)('the repeated refusal of %s %s is as documented', async ([method, to, body, status]) => {
  const { rest } = await shareServer()
  const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' }
  // Each answer is compared with the document when it is read.
  await rest(method, to, { body, headers })
  const again = await rest(method, to, { body, headers })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([status, 'true'])
})

test('every operation with a credential and a body takes `Prefer`; every one that writes confirms it', async () => {
  for (const { method, path, parameters = [], requestBody, security, responses } of operations) {
    const takesIt = requestBody !== undefined && security.length > 0
    expect([path, parameters.some(({ name }) => name === 'Prefer')]).toEqual([path, takesIt])
    for (const { headers = {} } of Object.values(responses))
      expect([path, 'Preference-Applied' in headers]).toEqual([path, method !== 'GET' && security.length > 0])
  }
  const { rest } = await shareServer()
  const headers = { prefer: 'handling=strict' }
  const answer = await rest('PUT', '/platform/cases/999', { body: '{"case":{"data":{}}}', headers })
  expect([answer.status, answer.headers.get('preference-applied')]).toEqual([404, 'handling=strict'])
  const unread = await rest('PUT', '/platform/cases/999', { body: '{', headers })
  expect([unread.status, unread.headers.get('preference-applied')]).toEqual([400, null])
  const { description } = document.components.headers['Preference-Applied'] ?? {}
  expect(description).toContain('its body could be read')
})

test('links lead to operations, and objects of the caller take any member', () => {
  const ids = operations.map(({ operationId }) => operationId)
  const links = operations.flatMap(({ responses }) => Object.values(responses[201]?.links ?? {}))
  expect(links.length).toBeGreaterThan(8)
  for (const { operationId } of links) expect(ids).toContain(operationId)
  const closed = [...JSON.stringify(document).matchAll(/\{"type":"object"[^{}]*\}/g)].map(([text]) => text)
  expect(closed.filter(text => !text.includes('"additionalProperties":true'))).toEqual([])
})

test('a gateway serves it to everybody, byte for byte, and not again to a client that has it', async () => {
  const { baseUrl, rest } = await shareServer()
  const { status, headers, text } = await rest('GET', '/openapi.json', { token: null })
  expect({ status, type: headers.get('content-type') }).toEqual({
    status: 200,
    type: 'application/json; charset=utf-8',
  })
  expect(JSON.parse(text)).toEqual(document)
  const etag = headers.get('etag') ?? ''
  const again = (value: string) =>
    rest('GET', '/openapi.json', { token: null, headers: { 'if-none-match': value } })
  for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
    expect(await again(value)).toMatchObject({ status: 304, text: '' })
  expect((await again('"x"')).text).toBe(text)
  const page = await fetch(`${baseUrl}/docs/api`)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect({ status: page.status, unsafe: /unsafe|https?:|\*/.test(policy) }).toEqual({
    status: 200,
    unsafe: false,
  })
  for (const [, path = ''] of (await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)) {
    const answer = await fetch(baseUrl + path)
    expect([path, answer.status]).toEqual([path, 200])
    await answer.arrayBuffer()
  }
  expect((await fetch(`${baseUrl}/docs/api/register-viewer.ts`)).status).toBe(404)
})
