import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
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

test('a log on a disk that was full is written again, and says how many lines were lost', async () => {
  const { code, lines } = await run('test/contract/logs/write-to-full-disk.ts', {})
  expect(code).toBe(0)
  const messages = lines.map(({ msg }) => msg)
  expect(messages).toContain('log lines were lost: standard output is read too slowly')
  expect(messages.at(-1)).toBe('the last one')
  const lost = lines.flatMap(line => ('lines' in line ? [Number(line.lines)] : []))
  const written = messages.filter(msg => ['long', 'short', 'there is room'].includes(msg)).length
  expect(written + lost.reduce((sum, count) => sum + count, 0)).toBe(70 + 700 + 1)
})

test('a start that fails writes what it logged before', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { readonly port: number }
  const database = join(folder.path, 'a.db')
  await runCommand(['token', '--account', 'a', '--email', 'a@example.com'], {
    DATABASE_URL: `sqlite:${database}`,
  })
  const keyFile = `${database}.secrets-key`
  writeFileSync(keyFile, Buffer.alloc(32, 1).toString('base64'))
  chmodSync(keyFile, 0o640)
  const { code, lines } = await run('src/start.mjs', {
    DATABASE_URL: `sqlite:${database}`,
    HOST: '127.0.0.1',
    PORT: String(port),
  })
  taken.close()
  expect(code).toBe(1)
  expect(lines).toContainEqual(expect.objectContaining({ file: keyFile }))
})
