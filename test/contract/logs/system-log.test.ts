import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = makeTempFolder()
afterAll(() => folder.remove())

async function run(script: string, env: Readonly<Record<string, string>>) {
  const file = join(folder.path, 'log')
  const output = openSync(file, 'w')
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', output, 'ignore'],
  })
  endWithParent(child)
  closeSync(output)
  const [code] = await once(child, 'exit')
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return { code, lines: lines.map(line => JSON.parse(line) as { readonly msg: string }) }
}

test('once a full disk has room, the log goes on and says how many lines were lost', async () => {
  const { code, lines } = await run('test/contract/logs/write-to-full-disk.ts', {})
  expect(code).toBe(0)
  const messages = lines.map(({ msg }) => msg)
  expect(messages).toContain('log lines were lost: standard output did not take them')
  expect(messages.at(-1)).toBe('the last one')
  const lost = lines.flatMap(line => ('lines' in line ? [Number(line.lines)] : []))
  const written = messages.filter(msg => ['long', 'short', 'there is room'].includes(msg)).length
  expect(written + lost.reduce((sum, count) => sum + count, 0)).toBe(70 + 700 + 1)
})

describe('a start that fails after it has logged', () => {
  const keyFile = join(folder.path, 'a.db.secrets-key')
  const taken = createServer()
  let env: Readonly<Record<string, string>>

  beforeAll(async () => {
    await once(taken.listen(0, '127.0.0.1'), 'listening')
    const { port } = taken.address() as { readonly port: number }
    const database = { DATABASE_URL: `sqlite:${join(folder.path, 'a.db')}` }
    await runCommand(['token', '--account', 'a', '--email', 'a@example.com'], database)
    // The gateway warns of a key file that others can read.
    writeFileSync(keyFile, Buffer.alloc(32, 1).toString('base64'))
    chmodSync(keyFile, 0o640)
    env = { ...database, HOST: '127.0.0.1', PORT: String(port) }
  })
  afterAll(() => void taken.close())

  test('writes that', async () => {
    const { code, lines } = await run('src/start.mjs', env)
    expect(code).toBe(1)
    expect(lines).toContainEqual(expect.objectContaining({ file: keyFile }))
  })

  test('ends with its reason although nobody reads the log', async () => {
    const pipe = join(folder.path, 'pipe')
    execFileSync('mkfifo', [pipe])
    const full = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    expect(() => {
      for (;;) writeSync(full, 'x'.repeat(4_096))
    }).toThrow('EAGAIN')
    const output = openSync(pipe, constants.O_RDWR)
    const child = spawn(process.execPath, ['src/start.mjs'], {
      cwd: root,
      env: { PATH: process.env.PATH, LOG_FORMAT: 'json', ...env },
      stdio: ['ignore', output, 'pipe'],
    })
    endWithParent(child)
    closeSync(output)
    let reason = ''
    child.stderr?.on('data', chunk => {
      reason += chunk
    })
    await once(child, 'close')
    closeSync(full)
    expect(reason).toContain('the port is in use')
  })
})
