import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { usualPatience } from '../../server/processes/patience.ts'

// Runs that wait for a listed host which never answers hold their sandboxes until they are taken away: the time of a
// run is longer than the tests, however busy the machine. A run waits 2 s for a sandbox.
let hanging: Upstream
let server: TestServer

beforeAll(async () => {
  hanging = await startUpstream(() => undefined)
  server = await startServer({
    ...usualPatience,
    ROSTRUM_SANDBOXES: '8',
    ROSTRUM_WARM_SANDBOXES: '2',
    ROSTRUM_GRAPHQL_HOSTS: hanging.host,
    ROSTRUM_TASK_TIMEOUT_MS: '300000',
  })
})
afterAll(async () => {
  await server.stop()
  await hanging.close()
})

const tokenOf = (account: string) => server.token({ account, user: 1, scopes: ['tasks:execute'] })

/** Keeps `runs` runs of an account waiting for the slow host, or for a sandbox; the function it gives ends that. */
async function holdSandboxes(account: string, runs: number, sourceCode: string) {
  const token = await tokenOf(account)
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const messages: string[] = []
  async function repeat() {
    while (!over.signal.aborted) {
      const answer = await server.execute(sourceCode, { token, signal: over.signal }).catch(() => null)
      const message = answer?.body.task_execution?.error?.message
      if (message !== undefined) messages.push(message)
      if (answer?.status === 429) await sleep(100)
    }
  }
  const repeating = Array.from({ length: runs }, repeat)
  return {
    messages,
    async end() {
      over.abort()
      await Promise.all(repeating)
    },
  }
}

async function refusalsOf(account: string, runs: number): Promise<number[]> {
  const token = await tokenOf(account)
  const refused: number[] = []
  for (let i = 0; i < runs; i++) {
    const { status } = await server.execute('exit(1)', { token })
    if (status !== 200) refused.push(status)
    await sleep(100)
  }
  return refused
}

test('an account that is alone may wait for a slow host with all that it holds', {
  timeout: 60_000,
}, async () => {
  const ask = `await graphql('{ x }', {}, '${hanging.url}/')`
  const before = hanging.requests.length
  const alone = await holdSandboxes('alone', 20, ask)
  while (hanging.requests.length < before + 5) await sleep(10)
  await sleep(3_000)
  await alone.end()
  expect(hanging.requests).toHaveLength(before + 5)
  expect(alone.messages).toEqual([])
})

test('beside an account that waits for a slow host, another runs two at once, and a third one runs', {
  timeout: 60_000,
}, async () => {
  const ask = `await graphql('{ x }', {}, '${hanging.url}/')`
  const before = hanging.requests.length
  const alone = await holdSandboxes('alone', 20, ask)
  while (hanging.requests.length < before + 5) await sleep(10)
  const second = await holdSandboxes('second', 2, ask)
  while (hanging.requests.length < before + 7) await sleep(10)
  expect(await refusalsOf('third', 3)).toEqual([])
  await Promise.all([alone.end(), second.end()])
})

test('runs that wait for a slow host do not get other accounts refused', { timeout: 120_000 }, async () => {
  const ask = `await graphql('{ x }', {}, '${hanging.url}/')`
  const hostile = [await holdSandboxes('slow-0', 40, ask)]
  const before = hanging.requests.length
  while (hanging.requests.length < before + 5) await sleep(10)
  for (let i = 1; i <= 9; i++) hostile.push(await holdSandboxes(`slow-${i}`, 5, ask))
  const refused = await Promise.all([refusalsOf('quiet', 8), refusalsOf('calm', 8)])
  await Promise.all(hostile.map(({ end }) => end()))
  expect(refused).toEqual([[], []])
  expect(hostile.flatMap(({ messages }) => messages)).toContainEqual(
    expect.stringMatching(/other accounts wait for a sandbox/),
  )
})
