import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBlocks, readPage } from '../../docs/pages.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { type Command, spawnCommand } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { until } from '../../server/processes/until.ts'

const folder = makeTempFolder()
let settings: Record<string, string>
let gateway: Command

async function start(): Promise<Command> {
  const command = spawnCommand([], settings)
  const isReady = () =>
    fetch(`http://127.0.0.1:${settings.PORT}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await until(isReady)
  await until(() => command.stderr().includes('Rostrum serves on'))
  return command
}

async function stop(): Promise<number | null> {
  gateway.process.kill('SIGTERM')
  return gateway.ended
}

// The lines of the banner that a reader would paste.
const pasteLines = () =>
  gateway
    .stderr()
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.startsWith('curl '))

beforeAll(async () => {
  settings = { PORT: String(await findFreePort()), DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}` }
  gateway = await start()
})
afterAll(async () => {
  await stop()
  folder.remove()
})

describe('on an empty store', () => {
  test('the banner shows the address and the new token of the account demo', async () => {
    expect(gateway.stderr()).toContain(`http://127.0.0.1:${settings.PORT}`)
    const token = /Bearer (\S+?)['"]/.exec(gateway.stderr())?.[1] ?? ''
    expect(gateway.stderr().split(token).length).toBeGreaterThan(1)
    const answer = await fetch(`http://127.0.0.1:${settings.PORT}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ viewer { accountCode scopes } }"}',
    })
    expect(await answer.json()).toEqual({ data: { viewer: { accountCode: 'demo', scopes: ['admin'] } } })
  })

  test('its two lines, pasted into sh, add a membership and run a script', () => {
    const lines = pasteLines()
    expect(lines).toHaveLength(2)
    const outputs = lines.map(line => spawnSync('sh', ['-c', line], { encoding: 'utf8' }))
    expect(outputs.map(output => output.status)).toEqual([0, 0])
    const [added, ran] = outputs.map(output => JSON.parse(output.stdout) as Record<string, unknown>)
    expect(added).toMatchObject({ team_membership: { id: expect.any(Number), leader: null } })
    expect(ran).toMatchObject({ task_execution: { outcome: 'exit', error: null } })
  })

  test('it is what the quickstart shows, address and token filled in', () => {
    const [shown] = readBlocks(readPage('docs/quickstart.md')).filter(({ language }) => language === 'text')
    const token = /Bearer (\S+?)['"]/.exec(gateway.stderr())?.[1] ?? ''
    const banner = gateway
      .stderr()
      .split('\n')
      .filter(line => !line.startsWith('{'))
      .join('\n')
      .replaceAll(`127.0.0.1:${settings.PORT}`, '127.0.0.1:4000')
      .replaceAll(token, 'rst_the_token_that_npm_start_printed')
    expect(banner.trim()).toBe(shown?.text)
  })

  test('each line of standard output is one JSON object', () => {
    const lines = gateway.stdout().split('\n').filter(Boolean)
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) })
  })

  test('the token is in no log line', async () => {
    const token = /Bearer (\S+?)['"]/.exec(gateway.stderr())?.[1] ?? ''
    const logs = () =>
      gateway
        .stdout()
        .split('\n')
        .filter(line => line.startsWith('{'))
    await until(() => logs().length > 1)
    expect(logs().filter(line => line.includes(token))).toEqual([])
  })
})

test('on a store that is not empty no token is shown', async () => {
  expect(await stop()).toBe(0)
  gateway = await start()
  expect(gateway.stderr()).toContain(`http://127.0.0.1:${settings.PORT}`)
  expect(gateway.stderr()).not.toMatch(/rst_\w+|Bearer \S{20,}/)
  expect(pasteLines()).toEqual([])
})
