import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../server/processes/free-port.ts'
import { type Command, spawnCommand } from '../server/processes/spawn-command.ts'
import { until } from '../server/processes/until.ts'

const preload = fileURLToPath(new URL('./loaded-packages.ts', import.meta.url))

let command: Command
let url: string

beforeAll(async () => {
  const port = String(await findFreePort())
  url = `http://127.0.0.1:${port}`
  const settings = { PORT: port, DATABASE_URL: 'sqlite::memory:', ROSTRUM_ADMIN_TOKEN: 'token-of-the-test' }
  command = spawnCommand([], settings, preload)
  const isReady = () =>
    fetch(`${url}/ready`)
      .then(answer => answer.ok)
      .catch(() => false)
  await until(isReady)
})
afterAll(async () => {
  command.process.kill()
  expect(await command.ended).toBe(0)
})

async function loadedPackages(): Promise<string[]> {
  command.process.send('which?')
  return (await once(command.process, 'message'))[0]
}

test('a gateway without requests has not loaded libraries that only some requests or settings need', async () => {
  const packages = await loadedPackages()
  expect(packages).toEqual(expect.arrayContaining(['fastify', 'graphql', 'better-sqlite3']))
  const spared = ['graphql-yoga', '@graphql-yoga/render-graphiql', 'undici', 'jose', 'pg', 'ajv']
  expect(packages.filter(name => spared.includes(name))).toEqual([])
})

test('a gateway without a collector loads nothing of OpenTelemetry, not even for a run', async () => {
  const body = JSON.stringify({ name: 'x', sourceCode: 'exit(1)', inputDocument: {}, options: {} })
  const headers = {
    authorization: 'Bearer token-of-the-test',
    'content-type': 'application/json',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  }
  const answer = await fetch(`${url}/api/1/endpoint/execute`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  const packages = await loadedPackages()
  expect(packages).toContain('pino')
  expect(packages.filter(name => name.startsWith('@opentelemetry/'))).toEqual([])
})

test('a request that needs Yoga loads it', async () => {
  const headers = { authorization: 'Bearer token-of-the-test' }
  const answer = await fetch(`${url}/graphql?query=%7B__typename%7D`, { headers })
  expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
  expect(await loadedPackages()).toContain('graphql-yoga')
})
