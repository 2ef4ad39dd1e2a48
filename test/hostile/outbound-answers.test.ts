import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ObservedServer, startObservedServer } from '../server/start-server.ts'
import { headersOfCalls } from '../server/start-upstream.ts'
import { type Canary, startCanary } from '../tasks/start-canary.ts'
import { contents } from './outbound/answer-contents.ts'
import { framings } from './outbound/answer-framings.ts'
import { statuses } from './outbound/answer-statuses.ts'
import type { HostAnswer } from './outbound/host-answer.ts'
import { type RawHost, startRawHost } from './outbound/raw-host.ts'

const timeoutMs = 3_000
const answers = [...statuses, ...framings, ...contents]

let canary: Canary
let host: RawHost
let server: ObservedServer

// The case's number is the path; `{CANARY_PORT}` in what a host writes is the port of a server that nobody may reach.
beforeAll(async () => {
  canary = await startCanary()
  host = await startRawHost(({ path }, socket) => {
    const write = socket.write.bind(socket)
    const fill = (text: unknown) =>
      typeof text === 'string' ? text.replaceAll('{CANARY_PORT}', String(canary.port)) : text
    socket.write = ((text: unknown, ...rest: []) =>
      write(fill(text) as string, ...rest)) as typeof socket.write
    answers[Number(path.slice(1))]?.write(socket)
  })
  server = await startObservedServer({
    ROSTRUM_GRAPHQL_HOSTS: host.host,
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
  })
})
afterAll(async () => {
  await server.stop()
  host.close()
  canary.close()
})

async function ask(answer: HostAnswer) {
  const { body } = await server.execute<{ json?: unknown; message?: string; polluted: boolean } | null>(
    `const url = 'http://${host.host}/${answers.indexOf(answer)}'
     const seen = await graphql('{ x }', { a: 1 }, url).then(json => ({ json }), ({ message }) => ({ message }))
     if (typeof seen.json === 'string' && seen.json.length > 1e6) seen.json = seen.json.length
     exit({ ...seen, polluted: 'polluted' in {} })`,
  )
  return body.task_execution
}

async function isClosed(before: number): Promise<boolean> {
  for (let waited = 0; host.open() > before && waited < 60_000; waited += 10) await sleep(10)
  return host.open() <= before
}

describe.each([
  ['a status or a header', statuses],
  ['a framing', framings.filter(({ gives }) => gives !== 'waits')],
  ['a content', contents],
] as const)('%s', (_, list) => {
  test.each(list)('$title', async answer => {
    const requests = host.requests.length
    const before = await server.observe()
    const { payload, error } = await ask(answer)
    const after = await server.observe()

    expect(error).toBe(null)
    if (answer.gives === 'waits') throw new Error('This one is among the others')
    if ('json' in answer.gives) expect(payload).toEqual({ json: answer.gives.json, polluted: false })
    else expect(payload?.message).toContain(`graphql: ${answer.gives.message}`)
    expect(host.requests.length - requests).toBe(1)
    expect(canary.connections()).toBe(0)
    expect(await isClosed(0)).toBe(true)
    expect(after.newPrototypeKeys).toEqual([])
    expect(after.residentBytes - before.residentBytes).toBeLessThan(80 * 2 ** 20)
  })
})

test.concurrent.each(
  framings.filter(({ gives }) => gives === 'waits'),
)('$title: the deadline ends the run, and the connection with it', async answer => {
  // On a busy machine a run may get no sandbox within its time: it is refused, and sent again.
  let execution: Awaited<ReturnType<typeof ask>> | undefined
  while (execution === undefined) execution = await ask(answer)
  expect(execution.error?.code).toBe('TIMEOUT')
})

test('no connection is left, none was made to anybody else, and no cookie ever came back', async () => {
  expect(await isClosed(0)).toBe(true)
  expect(canary.connections()).toBe(0)
  expect(host.connections()).toBe(host.requests.length)
  for (const { head } of host.requests) {
    expect(head[0]).toMatch(/^POST \/\d+ HTTP\/1\.1$/)
    expect(
      head
        .slice(1)
        .map(line => line.split(':')[0]?.toLowerCase())
        .toSorted(),
    ).toEqual(headersOfCalls)
  }
})
