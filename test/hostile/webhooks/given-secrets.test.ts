import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveWebhook } from '../../server/clients/webhooks.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

// One claim: a secret that a caller gives is in no answer and in no line of the log, however wrong the request is.

let server: TestServer
beforeAll(async () => {
  server = await startServer({ LOG_LEVEL: 'trace' })
  await saveWebhook(server, { name: 'w', sourceCode: 'exit(1)', verification: 'GITHUB' })
})
afterAll(() => server.stop())

const mark = 'hunter2Hunter2'
const secret = `${mark}hunter2hunter2`
const whsec = `whsec_${secret}`

const saving = `mutation ($input: SaveWebhookInput!) { saveWebhook(input: $input) {
  secret webhook { id name header headers } } }`
const rotating = `mutation ($id: ID! = 1, $hours: Int! = 24, $secret: String) {
  rotateWebhookSecret(id: $id, overlapHours: $hours, secret: $secret) { secret } }`
const input = { name: 'x', verification: 'GITHUB', functionName: 'w', secret }
const literal = (text: string) => `mutation { saveWebhook(input: {${text}}) { secret } }`

const requests: [string, string, object?][] = [
  ['a good secret', saving, { input }],
  ['a good secret of a rotation', rotating, { secret }],
  ['a secret that is too short', saving, { input: { ...input, secret: mark } }],
  ['a secret with a control character', saving, { input: { ...input, secret: `${secret}\n` } }],
  ['a secret that is no `whsec_`', saving, { input: { ...input, verification: 'STANDARD' } }],
  ['a bad `whsec_`', saving, { input: { ...input, verification: 'STANDARD', secret: `${whsec}!` } }],
  ['a bad secret of a rotation', rotating, { secret: mark }],
  ['an unknown function', saving, { input: { ...input, functionName: 'none' } }],
  ['an unknown webhook', rotating, { id: '999', secret }],
  ['a name that is taken', saving, { input: { ...input, name: 'w' } }],
  ['an unknown scope', saving, { input: { ...input, scopes: ['all'] } }],
  ['a bad overlap', rotating, { hours: -1, secret }],
  ['a list for the secret', saving, { input: { ...input, secret: [secret] } }],
  ['an object for the secret', saving, { input: { ...input, secret: { a: secret } } }],
  ['a list for the secret of a rotation', rotating, { secret: [secret] }],
  ['another wrong value beside it', saving, { input: { ...input, headers: [{}] } }],
  ['an unknown field beside it', saving, { input: { ...input, sceret: secret } }],
  ['an unknown enum value beside it', saving, { input: { ...input, mode: 'NEVER' } }],
  ['a list of inputs', saving, { input: [input] }],
  ['the secret as the input', saving, { input: secret }],
  ['the secret for a number', rotating, { hours: secret }],
  ['the secret for an id', rotating, { id: { secret } }],
  ['a value that looks like a place', saving, { input: { ...input, secret: [`x at "input.${mark}"; `] } }],
  ['a literal of another type', literal(`secret: [${JSON.stringify(secret)}]`)],
  ['a literal without quotes', literal(`secret: ${secret}`)],
  ['a literal object', literal(`secret: {a: ${JSON.stringify(secret)}}`)],
  ['an unknown literal field', literal(`sceret: ${JSON.stringify(secret)}`)],
  ['a literal for the input', `mutation { saveWebhook(input: ${JSON.stringify(secret)}) { secret } }`],
  ['a literal for an enum', literal(`verification: ${JSON.stringify(secret)}`)],
  [
    'a literal for a number',
    `mutation { rotateWebhookSecret(id: 1, overlapHours: ${JSON.stringify(secret)}) { secret } }`,
  ],
  ['no colon', literal(`secret ${JSON.stringify(secret)}`)],
  ['no colon and no quotes', literal(`secret ${secret}`)],
  ['a block string', literal(`secret """${secret}"""`)],
  ['a text after the document', `${literal('name: "x"')} ${JSON.stringify(secret)}`],
  ['a text that does not end', literal(`secret: "${secret}`)],
  ['a wrong escape', literal(`secret: "\\${secret}"`)],
  ['a wrong Unicode escape', literal(`secret: "\\u{${secret}}"`)],
  ['a literal twice', literal(`secret: ${JSON.stringify(secret)}, secret: ${JSON.stringify(secret)}`)],
  ['a default of another type', `mutation ($s: String = [${JSON.stringify(secret)}]) { __typename }`],
  [
    'an argument with a null inside',
    `mutation ($x: String = "a") { saveWebhook(input: {
      secret: ${JSON.stringify(secret)}, headers: [$x] }) { secret } }`,
    { x: null },
  ],
]

// Parts of the secret count too: messages cut long texts.
const part = 'unter2'

describe.each([
  ['JSON', {}],
  // Yoga answers what asks for another type.
  ['the media type of GraphQL', { accept: 'application/graphql-response+json' }],
  ['a stream', { accept: 'text/event-stream' }],
])('as %s', (_, headers) => {
  test.each(requests)('%s is in no answer', async (_, query, variables) => {
    const { text, status } = await server.rest('POST', '/graphql', { body: { query, variables }, headers })
    expect(status).toBeLessThan(500)
    expect(text).not.toContain(part)
  })
})

test('the answer that is kept for an idempotency key has no secret, and neither does a conflict', async () => {
  const send = (extra: object) =>
    server.rest('POST', '/graphql', {
      body: { query: rotating, variables: { secret, ...extra } },
      headers: { 'idempotency-key': 'given' },
    })
  const answers = [await send({}), await send({}), await send({ hours: 3 })]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 409])
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true')
  for (const { text } of answers) expect(text).not.toContain(part)
})

test('a script that gives a secret finds it in no answer, and its kept run has it in no result', async () => {
  const sourceCode = `const answers = []
    for (const [query, variables] of payload) {
      answers.push(await graphql(query, variables).catch(error => error.message))
    }
    exit(answers)`
  const calls = requests.map(([, query, variables]) => [query, variables ?? {}])
  const { text, body } = await server.execute<{ task_execution: { outcome: string } }>({
    sourceCode,
    inputDocument: calls,
  })
  expect(body.task_execution.outcome).toBe('exit')
  expect(text).not.toContain(part)
  const { body: runs, text: kept } = await server.graphql<{ runs: { nodes: { input: unknown }[] } }>(
    '{ runs(first: 1) { nodes { outcome message logs { data } error { message } options } } }',
  )
  expect(runs.errors).toBeUndefined()
  expect(kept).not.toContain(part)
})

test('no line of the log has any of it', () => {
  expect(server.stdout()).toContain('"operation":"mutation"')
  expect(server.stdout() + server.stderr()).not.toContain(part)
})
