import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = makeTempFolder()
afterAll(() => folder.remove())

const kept = join(folder.path, 'node_modules', '.cache', 'rostrum')

// A separate installation, so that the test can damage its cache.
for (const name of ['src', 'drizzle', 'package.json']) {
  cpSync(join(root, name), join(folder.path, name), { recursive: true })
}
mkdirSync(join(folder.path, 'node_modules'))
for (const name of readdirSync(join(root, 'node_modules'))) {
  if (!name.startsWith('.'))
    symlinkSync(join(root, 'node_modules', name), join(folder.path, 'node_modules', name))
}

// Commands that end by themselves. Together they load most modules of `serve`.
async function runBoth(): Promise<unknown[]> {
  const env = { DATABASE_URL: 'sqlite::memory:' }
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder.path, 'src', 'start.mjs'), ...args], { env })
  return Promise.all([run('schema'), run('token', '--list')])
}

const cachedFiles = () =>
  readdirSync(kept, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

let unkept: unknown[]
const pristine = join(folder.path, 'pristine')
beforeAll(async () => {
  unkept = await runBoth()
  cpSync(kept, pristine, { recursive: true })
})
beforeEach(() => {
  rmSync(kept, { recursive: true, force: true })
  cpSync(pristine, kept, { recursive: true })
})

test('a command caches compiled code in the installation and gives the same output with it', async () => {
  const files = cachedFiles()
  expect(files.length).toBeGreaterThan(300)
  expect(await runBoth()).toEqual(unkept)
  expect(cachedFiles().sort()).toEqual(files.sort())
})

function flipBit(bytes: Buffer): Buffer {
  const middle = Math.floor(bytes.length / 2)
  return bytes.fill((bytes[middle] ?? 0) ^ 1, middle, middle + 1)
}

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['cut off', bytes => bytes.subarray(0, bytes.length / 2)],
  ['replaced', bytes => Buffer.alloc(bytes.length, 'x')],
  ['changed by one bit', flipBit],
])('cached code that was %s is compiled again', async (_how, spoil) => {
  for (const file of cachedFiles()) writeFileSync(file, spoil(readFileSync(file)))
  expect(await runBoth()).toEqual(unkept)
})

test('a command gives the same output if nothing can be cached', async () => {
  rmSync(kept, { recursive: true })
  writeFileSync(kept, 'a file, and no folder')
  expect(await runBoth()).toEqual(unkept)
})
