import { describe, expect, test } from 'vitest'
import { rules } from './rules.ts'
import { sourceFiles } from './source-files.ts'

// The store is where SQL lives; everywhere else it is a mistake.
const homes: Readonly<Record<string, RegExp>> = {
  'SQL is written in the store alone': /^store\//,
  'files are for the store, the docs, and what a sandbox is made of and measured by':
    /^(?:cli|store\/copy)\//,
}

describe.each(rules)('$title', ({ title, find, allowed, caught, passed = [] }) => {
  const broken = sourceFiles.filter(({ path, code }) => find(code).length > 0 && !homes[title]?.test(path))

  test('in every file', () => {
    expect(broken.map(({ path }) => path).filter(path => !Object.hasOwn(allowed, path))).toEqual([])
  })

  test('with no exception that nobody needs any more', () => {
    expect(Object.keys(allowed).filter(path => !broken.some(file => file.path === path))).toEqual([])
  })

  test('and would be noticed', () => {
    expect(caught.filter(code => find(code).length === 0)).toEqual([])
    expect(passed.filter(code => find(code).length > 0)).toEqual([])
  })
})

test('there are files to look at, plain JavaScript among them', () => {
  expect(sourceFiles.length).toBeGreaterThan(150)
  expect(sourceFiles.some(({ path }) => path.endsWith('.mjs') || path.endsWith('.js'))).toBe(true)
})

test('one file imports isolated-vm, and one loads it for that', () => {
  const importing = sourceFiles.filter(({ code }) => /from 'isolated-vm'|import\('isolated-vm'\)/.test(code))
  expect(importing.map(({ path }) => path)).toEqual(['sandbox/realm-isolate.ts'])
  const loading = sourceFiles.filter(({ code }) =>
    /\bimport\((?!['"]\.{0,2}\/|'@graphql-yoga|'pino-pretty|'@opentelemetry)/.test(code),
  )
  expect(loading.map(({ path }) => path)).toEqual(['sandbox/boot.mjs'])
})
