import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followRun } from '../server/clients/follow-run.ts'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { findFreePort } from '../server/processes/free-port.ts'

let server: TestServer
let operator: string
beforeAll(async () => {
  server = await startServer()
  operator = await server.token({ account: 'demo', scopes: ['metrics:read'] })
})
afterAll(async () => void (await server.stop()))

const read = async () => (await server.rest('GET', '/metrics', { token: operator })).text

/** The value of a sample; 0 if there is none. */
function readSample(text: string, sample: string): number {
  const line = text.split('\n').find(each => each.startsWith(`${sample} `))
  return Number(line?.slice(sample.length + 1) ?? 0)
}

test('metrics are for the scope of the operator, which an admin lacks', async () => {
  const admin = await server.rest('GET', '/metrics')
  expect(admin.status).toBe(403)
  expect(admin.headers.get('www-authenticate')).toContain('scope="metrics:read"')
  expect((await server.rest('GET', '/metrics', { token: null })).status).toBe(401)
  const answer = await server.rest('GET', '/metrics', { token: operator })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const hook =
    'mutation { saveHook(input: { caseTypeCode: "t", event: PRE_SAVE, functionId: "1", ' +
    'scopes: ["metrics:read"] }) { id } }'
  expect(JSON.stringify((await server.graphql(hook)).body)).toContain('FORBIDDEN')
})

test('every request is counted once, by its route, refused ones too', async () => {
  const samples = {
    'rostrum_http_requests_total{method="GET",route="/platform/users/{id}",status="404"}': 2,
    'rostrum_http_requests_total{method="GET",route="/platform/users/{id}",status="401"}': 1,
    'rostrum_http_requests_total{method="POST",route="/graphql",status="200"}': 1,
    'rostrum_http_requests_total{method="GET",route="unmatched",status="404"}': 1,
    'rostrum_http_requests_total{method="_OTHER",route="unmatched",status="404"}': 1,
    'rostrum_http_requests_total{method="_OTHER",route="unmatched",status="400"}': 1,
  }
  const before = await read()
  for (const _ of [1, 2]) await server.rest('GET', '/platform/users/7')
  await server.rest('GET', '/platform/users/7', { token: null })
  await server.graphql('{ viewer { accountCode } }')
  await server.rest('GET', '/no/such/path')
  await server.rest('PROPFIND', '/no/such/path')
  await sendBytes('NONSENSE\r\n\r\n')
  await expect.poll(read).toContain('method="_OTHER",route="unmatched",status="400"')
  const after = await read()
  for (const [sample, more] of Object.entries(samples))
    expect([sample, readSample(after, sample) - readSample(before, sample)]).toEqual([sample, more])
  const counted = 'rostrum_http_request_duration_seconds_count{method="GET",route="/platform/users/{id}"}'
  expect(readSample(after, counted)).toBe(3)
  expect(readSample(after, counted.replace('_count', '_bucket').replace('}"}', '}",le="+Inf"}'))).toBe(3)
})

async function sendBytes(text: string): Promise<void> {
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(server.baseUrl)
  await new Promise<void>(resolve => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.resume().on('close', () => resolve())
  })
}

test('every run is counted once, by how it ended, runs inside runs too', async () => {
  await server.execute('exit(1)')
  await server.execute("fail('no')")
  await server.execute('nothing()')
  const given = '{ name: "n", sourceCode: "exit(1)", inputDocument: "{}", options: "{}" }'
  const inner = `mutation { executeTask(input: ${given}) { outcome } }`
  await server.execute(`await graphql(${JSON.stringify(inner)}); exit(1)`)
  const text = await read()
  expect(readSample(text, 'rostrum_runs_total{trigger="endpoint",outcome="exit",code=""}')).toBe(3)
  expect(readSample(text, 'rostrum_runs_total{trigger="endpoint",outcome="fail",code=""}')).toBe(1)
  expect(readSample(text, 'rostrum_runs_total{trigger="endpoint",outcome="error",code="RUNTIME"}')).toBe(1)
  expect(readSample(text, 'rostrum_run_duration_seconds_count{trigger="endpoint"}')).toBe(5)
  expect(readSample(text, 'rostrum_runs_waiting')).toBe(0)
  await expect.poll(read).toMatch(/rostrum_sandboxes\{state="idle"\} [1-9]/)
  expect(
    readSample(text, 'rostrum_store_duration_seconds_count{store="sqlite",operation="write"}'),
  ).toBeGreaterThan(0)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(
    readSample(text, `rostrum_build_info{version="${version}",node="${process.version}",store="sqlite"}`),
  ).toBe(1)
  expect(text).toMatch(/^process_resident_memory_bytes /m)
  expect(text).toMatch(/^nodejs_/m)
})

test('an open stream is a stream until it ends', async () => {
  const ending = new AbortController()
  const stream = await fetch(`${server.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: 'subscription { runEnded { id } }' }),
    signal: ending.signal,
  })
  expect(stream.status).toBe(200)
  expect(readSample(await read(), 'rostrum_streams')).toBe(1)
  ending.abort()
  await expect.poll(async () => readSample(await read(), 'rostrum_streams')).toBe(0)
})

test('what a hostile caller sends makes no label', async () => {
  for (const path of ['/x"} 1\nfake 1', '/platform/users/secret@example.com', '/%00', '/a'.repeat(3_000)])
    await fetch(server.baseUrl + path, { method: 'REPORT' }).catch(() => null)
  await server.execute({ name: 'secret', sourceCode: "throw new Error('secret')" })
  const text = await read()
  expect(text).not.toMatch(/secret|example|fake|demo/)
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route))
  expect(routes.size).toBeLessThan(25)
})

test('the dashboard names metrics that there are, each panel has a unit, and no data source is fixed', async () => {
  interface Panel {
    readonly type: string
    readonly title: string
    readonly datasource?: { readonly uid: string }
    readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
    readonly targets?: readonly { readonly expr: string }[]
  }
  const dashboard = JSON.parse(readFileSync('docs/grafana/rostrum.json', 'utf8')) as {
    readonly uid: string
    readonly id: null
    readonly panels: readonly Panel[]
  }
  expect(dashboard).toMatchObject({ uid: 'rostrum', id: null })
  const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  expect(rows).toEqual(['Traffic', 'Runs', 'Sandboxes', 'Store'])
  const text = await read()
  for (const { type, title, datasource, fieldConfig, targets = [] } of dashboard.panels) {
    if (type === 'row') continue
    expect([title, datasource?.uid, typeof fieldConfig?.defaults.unit]).toEqual([
      title,
      expect.stringMatching(/^\$\{source\}$/),
      'string',
    ])
    for (const { expr } of targets) {
      expect(expr.includes('rate(')).toBe(expr.includes('$__rate_interval'))
      for (const [name] of expr.matchAll(/\b(?:rostrum|process|nodejs)_\w+/g)) {
        const family = name.replace(/_(?:bucket|count|sum)$/, '')
        expect([family, text.includes(`# TYPE ${family} `)]).toEqual([family, true])
      }
    }
  }
})

test('on a port of their own the metrics need no credential, and are nowhere else', async () => {
  const port = String(await findFreePort())
  const other = await startServer({ ROSTRUM_METRICS_PORT: port })
  try {
    expect((await other.rest('GET', '/metrics')).status).toBe(404)
    const url = `http://127.0.0.1:${port}`
    const answer = await fetch(`${url}/metrics`)
    expect([answer.status, (await answer.text()).includes('rostrum_build_info')]).toEqual([200, true])
    for (const path of ['/', '/graphql', '/metrics/x']) expect((await fetch(url + path)).status).toBe(404)
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404)
  } finally {
    await other.stop()
  }
})

test('the stream of a run is in the gauge while it is open', async () => {
  const run = await followRun(server, "log('begun'); for (;;);")
  expect((await run.events.next()).done).toBe(false)
  expect(readSample(await read(), 'rostrum_streams')).toBe(1)
  run.cut()
  await expect.poll(async () => readSample(await read(), 'rostrum_streams')).toBe(0)
})

test('the streamed answer of a run is counted as a stream until it ends', async () => {
  const answer = await fetch(`${server.baseUrl}/api/1/endpoint/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'a', sourceCode: 'exit(1)', inputDocument: {}, options: {} }),
  })
  await answer.text()
  await expect.poll(read).toMatch(/endpoint\/execute",status="200"\} \d/)
  expect(readSample(await read(), 'rostrum_streams')).toBe(0)
})
