import { beforeAll, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const maxBytes = 4 * 2 ** 20

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')

const runOf = (sourceCode: string, selection: string) => `mutation {
  executeTask(input: { name: "a", inputDocument: "{}", options: "{}", sourceCode: ${JSON.stringify(sourceCode)} }) {
    id outcome ${selection}
  }
}`

const large = `exit('x'.repeat(${2 ** 21 - 10}))`
const longLog = 'for (let i = 0; i < 500; i++) log("x".repeat(500)); exit(1)'

const answerBytes = {
  code: 'BAD_USER_INPUT',
  bound: 'answerBytes',
  most: 2 ** 21 + 6 * 2 ** 18 + 2 ** 12 + 128_000,
}

test('a result under many aliases is null past the maximum of an answer, and the error names the run', async () => {
  const { status, text, body } = await server.graphql<{ executeTask: Record<string, unknown> }>(
    runOf(large, aliases(20, 'payload')),
  )
  expect(status).toBe(200)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  expect(body.data?.executeTask.outcome).toBe('EXIT')
  expect(body.data?.executeTask.a0).toHaveLength(2 ** 21 - 10)
  expect(body.data?.executeTask.a1).toBe(null)
  const refused = body.errors?.filter(({ extensions }) => extensions.bound === 'answerBytes')
  expect(refused?.length).toBe(20 - 1)
  expect(refused?.[0]).toMatchObject({ path: ['executeTask', 'a1'], extensions: answerBytes })
  expect(refused?.[0]?.message).toContain('What this one changed or ran is done.')
})

test('a log under many aliases costs one error', async () => {
  const { text, body } = await server.graphql(runOf(longLog, aliases(30, 'logs { data }')))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  expect(body.errors).toMatchObject([{ extensions: answerBytes }])
})

test('a run that gives all it may is answered whole through both doors', async () => {
  const source = `for (let i = 0; i < 1000; i++) log("x".repeat(250)); exit('x'.repeat(${2 ** 21 - 2}))`
  const { status, body } = await server.execute<string>(source)
  expect([status, body.task_execution.payload?.length, body.task_execution.logs.length]).toEqual([
    200,
    2 ** 21 - 2,
    1000,
  ])
  const byGraphql = await server.graphql(runOf(source, 'payload message logs { at level data }'))
  expect(byGraphql.body.errors).toBeUndefined()
})

test('a kept run at all its limits is answered whole', async () => {
  const kept = 2 ** 18
  const script = 'for (let i = 0; i < 999; i++) log("x".repeat(250)); fail("x".repeat(2 ** 21 - 2)) //'
  const started = await server.graphql<{ executeTask: { id: string } }>(
    `mutation ($input: ExecuteTaskInput!) { executeTask(input: $input) { id } }`,
    {
      input: {
        name: 'full',
        sourceCode: script.padEnd(kept, '\n//"'),
        inputDocument: JSON.stringify('x'.repeat(kept - 2)),
        options: JSON.stringify({ x: 'x'.repeat(kept - 100) }),
      },
    },
  )
  const read = () =>
    server.graphql<{ run: Record<string, string> | null }>(
      `query ($id: ID!) {
        run(id: $id) { message input options sourceCode isInputKept logs { at level data } error { message } }
      }`,
      { id: started.body.data?.executeTask.id },
    )
  await expect.poll(async () => (await read()).body.data?.run).not.toBe(null)
  const { body } = await read()
  expect(body.errors).toBeUndefined()
  const { message, input, sourceCode, logs } = body.data?.run ?? {}
  expect([message?.length, input?.length, sourceCode?.length, logs?.length]).toEqual([
    2 ** 21 - 2,
    kept - 2,
    kept,
    999,
  ])
})

test('an answer too large by many small fields is replaced by an error that reports its change', async () => {
  const items = Array.from({ length: 1_000 }, (_, index) => ({ userId: index + 1, teamId: 1 }))
  const fields = Array.from({ length: 99 }, (_, index) => `${'x'.repeat(22)}${index}: __typename`)
  const { status, text, body } = await server.graphql(
    `mutation ($items: [AddTeamMembershipInput!]!) {
      addTeamMemberships(items: $items) { items { teamMembership { ${fields.join(' ')} } } }
    }`,
    { items },
  )
  expect([status, text.slice(0, 400)]).toEqual([200, expect.stringContaining('answerBytes')])
  expect(body.data).toBe(null)
  expect(body.errors?.[0]?.message).toContain('What this one changed or ran is done.')
  const { body: read } = await server.graphql<{ user: { memberships: { nodes: unknown[] } } }>(
    '{ user(id: 1000) { memberships { nodes { id } } } }',
  )
  expect(read.data?.user.memberships.nodes).toHaveLength(1)
})
