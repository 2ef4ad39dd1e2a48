import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const drizzleKit = join(root, 'node_modules', 'drizzle-kit', 'bin.cjs')

test.each([
  ['sqlite', 'sqlite'],
  ['postgres', 'postgresql'],
])('the migrations of %s are all that its tables need', async (engine, dialect) => {
  const copy = await mkdtemp(join(tmpdir(), 'rostrum-migrations-'))
  onTestFinished(() => rm(copy, { recursive: true }))
  await cp(join(root, 'drizzle', engine), copy, { recursive: true })
  const before = await readdir(copy, { recursive: true })
  const flags = [
    '--dialect',
    dialect,
    '--schema',
    `drizzle/${engine}.tables.cjs`,
    '--out',
    relative(root, copy),
  ]
  await promisify(execFile)(process.execPath, [drizzleKit, 'generate', ...flags], { cwd: root })
  expect(await readdir(copy, { recursive: true })).toEqual(before)
})
