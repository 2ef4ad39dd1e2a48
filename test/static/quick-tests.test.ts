import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { longFiles } from '../server/processes/long-files-first.ts'
import { root } from './rules/source-files.ts'

const all = globSync('test/**/*.test.ts', { cwd: root })
const own = 'test/static/quick-tests.test.ts'
const quick = all
  .filter(path => !/\.(?:slow|timed|waiting|nightly)\.test\.ts$/.test(path) && path !== own)
  .map(path => ({ path, code: readFileSync(`${root}${path}`, 'utf8') }))

// A busy machine makes every duration longer, and another test's garbage makes a worker larger. Assert what came first
// and why, or name the file `*.timed.test.ts`.
const measured = new RegExp(
  [
    /(?:performance|Date)\.now\(\)\s*-/,
    /-\s*(?:performance|Date)\.now\(\)/,
    /\bprocess\.(?:hrtime|cpuUsage)\b/,
    /(?:Ms|\bms)\)\.toBe(?:Less|Greater|Close)/,
    /\bduration_ms\)\.toBe(?:Less|Close)/,
    /\.toBe(?:Less|Greater)\w*\([^\n]*\.now\(\)\s*\+/,
    /\brss\(\)|\bmemoryUsage\(\)/,
    /\bresidentBytes(?:\(\))?\s*-/,
    /\bresidentBytes(?:\(\))?\)\.toBe(?:Less|Close)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

// The duration of a run is at most that of its request, however busy the machine is.
const allowed = { 'test/contract/scripts/execute-answer.test.ts': 'duration_ms).toBeLess' }

test('no quick test compares a duration or a memory with a bound', () => {
  const found = quick.flatMap(({ path, code }) => [...code.matchAll(measured)].map(([text]) => [path, text]))
  expect(found).toEqual(Object.entries(allowed))
})

test('a duration or a memory in a quick test would be noticed', () => {
  const caught = [
    'expect(performance.now() - started).toBeLessThan(100)',
    'const ms = Date.now() - started',
    'expect(slowestMs).toBeLessThan(250)',
    'process.cpuUsage(before).user',
    'Number(at) - Date.now()',
    'expect(run.duration_ms).toBeLessThan(50)',
    'expect(made.createdAt.getTime()).toBeLessThan(Date.now() + 1_000)',
    'process.memoryUsage.rss() - before',
    'expect(after.residentBytes - before.residentBytes).toBeLessThan(bytes)',
    'expect(residentBytes).toBeLessThan(600 * 2 ** 20)',
  ]
  expect(caught.filter(code => code.match(measured) === null)).toEqual([])
  expect('expect(started).toBeLessThanOrEqual(Date.now())'.match(measured)).toBe(null)
})

test('each file that starts first exists', () => {
  expect(longFiles.filter(path => !all.includes(`test/${path}.test.ts`))).toEqual([])
})

// The files of a worker share its modules, so the next one would load the schema again, which Pothos refuses.
test('no test resets the modules of its worker', () => {
  const reset = all.filter(path =>
    /\bvi\.(?:resetModules|mock|doMock)\b/.test(readFileSync(`${root}${path}`, 'utf8')),
  )
  expect(reset.filter(path => path !== own)).toEqual([])
})

test('quick tests share one PostgreSQL', () => {
  expect(quick.filter(({ code }) => code.includes('startPostgres(')).map(({ path }) => path)).toEqual([])
})

test('a test file is quick, slow, timed, waiting or nightly by its name, and there are all five', () => {
  const names = new Set(all.map(path => /(?:\.\w+)?\.test\.ts$/.exec(path)?.[0]))
  expect([...names].toSorted()).toEqual([
    '.nightly.test.ts',
    '.slow.test.ts',
    '.test.ts',
    '.timed.test.ts',
    '.waiting.test.ts',
  ])
})
