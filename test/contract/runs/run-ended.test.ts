import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'

describe('SQLite', () => {
  claims(async () => {
    const server = await shareServer()
    return [server, server]
  })
})

describe('PostgreSQL, at another gateway', () => {
  claims(shareReplicas)
})

interface Stream {
  readonly results: string[]
  end(): void
}

function claims(share: () => Promise<readonly [SharedServer, SharedServer]>): void {
  let server: SharedServer
  let other: SharedServer
  const streams: Stream[] = []
  beforeAll(async () => {
    ;[server, other] = await share()
  })
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.end()
  })

  async function follow(
    filter: object,
    token = server.adminToken,
    fields = 'name state outcome',
  ): Promise<Stream> {
    const abort = new AbortController()
    const answer = await fetch(`${server.baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({
        query: `subscription($filter: RunFilter) { runEnded(filter: $filter) { ${fields} } }`,
        variables: { filter },
      }),
      signal: abort.signal,
    })
    expect(answer.status).toBe(200)
    const results: string[] = []
    void read(answer, results).catch(() => {})
    const stream = { results, end: () => abort.abort() }
    streams.push(stream)
    return stream
  }

  async function read({ body }: Response, results: string[]): Promise<void> {
    let text = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        if (data !== undefined && data !== '') results.push(data)
      }
    }
  }

  const run = (name: string, sourceCode: string, on = other) =>
    on.execute({ name, sourceCode, inputDocument: '{}', options: '{}' })
  const endOf = (name: string, outcome: string) =>
    JSON.stringify({ data: { runEnded: { name, state: 'ENDED', outcome } } })

  test('each run that ends after the stream began comes once, a long one too, and none from before', async () => {
    await run('before', 'exit(1)')
    await expect
      .poll(async () => (await server.graphql('{ runs(filter: { text: "before" }) { nodes { id } } }')).text)
      .toContain('"id"')
    const endless = `{ name: 'endless', sourceCode: 'while (true);', inputDocument: 1 }`
    const long = run('long', `await Platform.tasks.execute(${endless}); exit(1)`)
    const { results } = await follow({})
    await run('short', 'fail("no")')
    await long
    await expect.poll(() => results.length).toBe(3)
    const all = [endOf('long', 'EXIT'), endOf('short', 'FAIL'), endOf('endless', 'ERROR')]
    expect(results.toSorted()).toEqual(all.toSorted())
  })

  test('a filter leaves out other runs, and another account sees none', async () => {
    const failed = await follow({ outcome: 'FAIL', text: 'wan' })
    // A run without a case has no such id.
    const ofCase = await follow({ text: 'null' })
    const foreign = await follow({}, await server.token({ account: `${server.account}-foreign` }))
    await run('wanted', 'exit(1)')
    await run('unwanted', 'fail("no")')
    await run('wanted', 'fail("no")')
    await expect.poll(() => failed.results).toEqual([endOf('wanted', 'FAIL')])
    expect([foreign.results, ofCase.results]).toEqual([[], []])
  })

  test('an input with line breaks is on one line of the stream', async () => {
    const { results } = await follow({ text: 'lines' }, server.adminToken, 'input')
    const inputDocument = '{\n  "a":\r\n  1\r}\n'
    await other.execute({ name: 'lines', sourceCode: 'exit(1)', inputDocument, options: '{}' })
    await expect.poll(() => results.length).toBe(1)
    expect(JSON.parse(results[0] ?? '')).toEqual({ data: { runEnded: { input: { a: 1 } } } })
  })

  test('a run that is too long for the stream is an error with its id, and later runs come', async () => {
    const { results } = await follow({ text: 'long-' }, server.adminToken, 'name payload')
    const { body } = await run('long-payload', 'exit("x".repeat(70_000))')
    await run('long-', 'exit(1)')
    await expect.poll(() => results.length).toBe(2)
    const [error] = JSON.parse(results[0] ?? '').errors
    expect(error.extensions).toMatchObject({ bound: 'eventBytes', runId: body.task_execution.id })
    expect(error.message).not.toMatch(/cursor/)
    expect(results[1]).toBe(JSON.stringify({ data: { runEnded: { name: 'long-', payload: 1 } } }))
  })

  test('needs the scope to read runs', async () => {
    const token = await server.token({ account: server.account, scopes: ['memberships:read'] })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    }
    const body = JSON.stringify({ query: 'subscription { runEnded { id } }' })
    const answer = await fetch(`${server.baseUrl}/graphql`, { method: 'POST', headers, body })
    expect(await answer.text()).toContain('"code":"FORBIDDEN"')
  })
}
