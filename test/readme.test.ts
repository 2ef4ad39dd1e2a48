import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settingNames } from '../src/config.ts'
import { restRoutes } from '../src/http/rest-routes.ts'
import { startServer, type TestServer } from './server/start-server.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const run = promisify(execFile)

/** Each pasted call with the answer that the page shows right after it. */
const calls = [...readme.matchAll(/```sh\n(curl .+)\n```\n\n```json\n(.+)\n```/g)].map(([, line, answer]) => ({
  line: String(line),
  answer: String(answer),
}))

const tokenLines = [...readme.matchAll(/^npm run --silent token -- (.+)$/gm)].map(([, args]) => String(args))

/** What differs from run to run, made the same. */
function settle(text: string): unknown {
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<guid>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/"duration_ms":[\d.]+/, '"duration_ms":0'),
  )
}

describe('the README', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  test('shows three calls, each with its answer', () => {
    expect(calls).toHaveLength(3)
  })

  test('shows what each of its pasted calls really answers', async () => {
    for (const { line, answer } of calls) {
      const command = line.replaceAll('http://127.0.0.1:4000', server.baseUrl)
      const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, TOKEN: server.adminToken } })
      expect(settle(stdout), line).toEqual(settle(answer))
    }
  })

  test('shows token commands that work as they stand', async () => {
    expect(tokenLines).toHaveLength(3)
    for (const line of tokenLines) {
      const env = { ...process.env, ...server.settings }
      const { stdout } = await run('sh', ['-c', `npm run --silent token -- ${line}`], { env })
      if (line.startsWith('--account')) expect(stdout).toMatch(/^rst_\S+\n$/)
      if (line === '--list') expect(stdout).toContain('ann@example.com')
    }
  })

  test('names every setting, and no other, in its one table', () => {
    const named = [...readme.matchAll(/^\| `([A-Z][A-Z_]+)` \|/gm)].map(([, name]) => name)
    expect(named.toSorted()).toEqual(settingNames.toSorted())
  })

  test('names every REST path', () => {
    for (const { method, path } of restRoutes) {
      expect(readme, `${method} ${path}`).toContain(path.replace(/:(\w+)/g, '{$1}'))
    }
  })
})
