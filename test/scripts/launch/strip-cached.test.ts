import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stripCached } from '../../../src/scripts/launch/strip-cached.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const sources = { 'a.ts': 'const a: number = 1\nexport { a }', 'b.ts': 'export type B = string' }
const stripped = { 'a.ts': 'const a         = 1\nexport { a }', 'b.ts': '                      ' }

let folder: ReturnType<typeof makeTempFolder>

beforeEach(() => {
  folder = makeTempFolder()
})
afterEach(() => folder.remove())

const files = () => readdirSync(folder.path).map(name => join(folder.path, name))

test('the modules of a sandbox are stripped once, and read from the cache after that', () => {
  expect(stripCached(sources, folder.path)).toEqual(stripped)
  const [path = ''] = files()
  const text = readFileSync(path, 'utf8')
  expect(stripCached(sources, folder.path)).toEqual(stripped)
  expect(files()).toEqual([path])
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('a changed source is another entry', () => {
  stripCached(sources, folder.path)
  expect(stripCached({ ...sources, 'b.ts': 'let b: 1' }, folder.path)['b.ts']).toBe('let b   ')
  expect(files()).toHaveLength(2)
})

test.each([
  ['empty', ''],
  ['cut off', null],
  ['of another text', 'a\n{}'],
])('a file that is %s is written again', (_name, damaged) => {
  stripCached(sources, folder.path)
  const [path = ''] = files()
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, damaged ?? text.slice(0, -5))
  expect(stripCached(sources, folder.path)).toEqual(stripped)
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('without a folder that can be written, nothing is cached', () => {
  expect(stripCached(sources, join(folder.path, 'missing'))).toEqual(stripped)
  expect(stripCached(sources, undefined)).toEqual(stripped)
  chmodSync(folder.path, 0o500)
  expect(stripCached(sources, folder.path)).toEqual(stripped)
  chmodSync(folder.path, 0o700)
})

test('a file that cannot be completed leaves no part of it', () => {
  stripCached(sources, folder.path)
  const [path = ''] = files()
  rmSync(path)
  // The rename fails, as a write does on a full disk.
  mkdirSync(path)
  expect(stripCached(sources, folder.path)).toEqual(stripped)
  expect(files()).toEqual([path])
})
