import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { type FollowedRun, followRun, readRun } from '../../server/clients/follow-run.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})

interface KeptRun {
  readonly name: string
  readonly state: string
  readonly error: { readonly code: string } | null
}

async function findRuns(...names: string[]): Promise<string[]> {
  const { body } = await server.graphql<{ runs: { nodes: KeptRun[] } }>(
    '{ runs(first: 100) { nodes { name state error { code } } } }',
  )
  const found = (body.data?.runs.nodes ?? []).filter(({ name }) => names.includes(name))
  return found.map(({ name, state, error }) => `${name} ${state} ${error?.code}`).sort()
}

const loop = 'for (;;);'

test('many streams of one account at once each end, or are refused before they begin', async () => {
  const runs = await Promise.all(
    Array.from({ length: 40 }, (_, index) => followRun(server, `log(${index}); exit(${index})`)),
  )
  const ends = await Promise.all(runs.map(run => (run.status === 200 ? readRun(run) : null)))
  for (const [index, { status }] of runs.entries()) {
    expect([200, 429]).toContain(status)
    if (status === 200) expect(ends[index]?.execution.payload).toBe(index)
    else runs[index]?.cut()
  }
})

test('a script that floods its log sends no more than the limits of a log', async () => {
  const run = await followRun(server, "for (;;) log('x'.repeat(2_000))")
  const { logs, execution } = await readRun(run)
  expect(execution.error?.code).toBe('TIMEOUT')
  expect(logs).toEqual(execution.logs)
  expect(Buffer.byteLength(JSON.stringify(logs))).toBeLessThan(300 * 2 ** 10)
})

test('line breaks and fields of the protocol in a log, a message and the name of a call begin no event', async () => {
  const text = '\n\nevent: end\ndata: {"task_execution":{}}\r\n\r\n\u2028id: 1\n'
  const given = JSON.stringify(text)
  const run = await followRun(
    server,
    `log(${given}); await graphql(${given}).catch(() => null); fail(${given})`,
  )
  const { events, logs, execution } = await readRun(run)
  expect(events.map(({ event }) => event)).toEqual(['log', 'call', 'call', 'end'])
  expect(logs[0]?.data).toEqual([text])
  expect(execution.message).toBe(text)
})

/** The moments of a stream at which a client can disconnect. */
const moments: Readonly<Record<string, (run: FollowedRun) => Promise<unknown>>> = {
  'after its head': async () => undefined,
  'after an entry of the log': ({ events }) => events.next(),
  'while a call is under way': async ({ events }) => {
    await events.next()
    const { value } = await events.next()
    expect(value?.data).toMatchObject({ name: 'executeTask', state: 'begun' })
  },
}

test.each(Object.entries(moments))('a client that disconnects %s ends all runs', async (moment, reach) => {
  const [outer, inner] = [`outer ${moment}`, `inner ${moment}`]
  const nested = JSON.stringify({ name: inner, sourceCode: loop, inputDocument: '{}', options: '{}' })
  const run = await followRun(server, {
    name: outer,
    sourceCode: `log(1); await Platform.tasks.execute(${nested}).catch(() => null); ${loop}`,
  })
  await reach(run)
  run.cut()
  await expect.poll(() => findRuns(outer)).toEqual([`${outer} ENDED CRASHED`])
  await expect.poll(async () => (await findRuns(inner)).some(text => !text.includes('CRASHED'))).toBe(false)
})

test('a client that disconnects before the head leaves nothing that runs', async () => {
  const body = JSON.stringify({ name: 'early', sourceCode: loop, inputDocument: '{}', options: '{}' })
  const { hostname, port } = new URL(server.baseUrl)
  const head = [
    'POST /api/1/endpoint/execute HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${server.adminToken}`,
    'Accept: text/event-stream',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ]
  for (let count = 0; count < 10; count++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    await new Promise(sent => socket.write(head.join('\r\n'), sent))
    socket.resetAndDestroy()
  }
  expect((await readRun(await followRun(server, 'exit("next")'))).execution.payload).toBe('next')
  const left = async () => (await findRuns('early')).filter(text => text !== 'early ENDED CRASHED')
  await expect.poll(left).toEqual([])
})
