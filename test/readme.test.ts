import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig, settingNames } from '../src/config.ts'
import { restRoutes } from '../src/http/rest-routes.ts'
import { startServer, type TestServer } from './server/start-server.ts'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

// The cells of the table under a heading, without their backticks; the heads of the columns left out.
function readTable(heading: string): string[][] {
  const section = readme.split(/^## /m).find(part => part.startsWith(heading)) ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('| '))
  return rows.slice(2).map(row =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(cell => cell.trim()),
  )
}

describe('the lines to paste', () => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())

  // Each curl command with the answer printed under it, in the order of the page.
  const calls = [...readme.matchAll(/```sh\n(curl [^\n]+)\n```\n+```json\n([^`]+)\n```/g)]

  // What differs from one run to the next.
  const mask = (text: string) =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<guid>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/"duration_ms":[\d.]+/g, '"duration_ms":<ms>')

  test('are three at least', () => {
    expect(calls.length).toBeGreaterThanOrEqual(3)
  })

  test('give the answers printed under them', () => {
    for (const [, command = '', answer = ''] of calls) {
      const line = command.replaceAll('http://127.0.0.1:4000', server.baseUrl)
      const output = spawnSync('sh', ['-c', line], {
        env: { ...process.env, TOKEN: server.adminToken },
        encoding: 'utf8',
      })
      expect(mask(output.stdout)).toBe(mask(answer))
    }
  })

  test('of the token command do what they say', () => {
    const lines = [...readme.matchAll(/^npm run --silent token -- .*$/gm)].map(match => match[0])
    expect(lines.length).toBeGreaterThanOrEqual(3)
    for (const line of lines) {
      const output = spawnSync('sh', ['-c', line], {
        cwd: root,
        env: { ...process.env, ...server.settings },
        encoding: 'utf8',
      })
      expect([line, output.status, output.stderr]).toEqual([line, 0, ''])
    }
  })
})

describe('the tables', () => {
  test('of settings names every setting, in the order of the code', () => {
    expect(readTable('Settings').map(row => row[0]?.replaceAll('`', ''))).toEqual(settingNames)
  })

  test('of settings gives the defaults of the code', () => {
    const defaults = readTable('Settings').flatMap(([name = '', value = '']) =>
      /^`.*`$/.test(value) ? [[name.replaceAll('`', ''), value.replaceAll('`', '')]] : [],
    )
    expect(defaults.length).toBeGreaterThan(15)
    expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}))
  })

  test('of REST has every method and path, and no other', () => {
    const written = readTable('REST').flatMap(row =>
      [...(row[0] ?? '').matchAll(/`([A-Z]+) ([^`?]+)[^`]*`/g)].map(match => `${match[1]} ${match[2]}`),
    )
    const served = restRoutes.map(route => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
    expect(written.toSorted()).toEqual([...served, 'GET /health', 'GET /ready'].toSorted())
  })

  test('of names has all that a script sees', () => {
    const names = readTable('What a script sees')
      .map(row => row[0])
      .join(' ')
    for (const name of [
      'payload',
      'options',
      'exit',
      'fail',
      'log',
      'graphql',
      'Platform',
      'requestContext',
      'generateGuid',
    ]) {
      expect(names).toContain(`\`${name}`)
    }
  })
})

test('every file that the page names is there', () => {
  const named = [...readme.matchAll(/`((?:src|test|drizzle)\/[\w./-]*|[\w-]+\.(?:graphql|md|json))`/g)].map(
    match => match[1] ?? '',
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter(name => !existsSync(new URL(name, root)))).toEqual([])
})
