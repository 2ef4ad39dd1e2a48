import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { matchPhrases, phrases } from './dialect.ts'
import { root } from './source-files.ts'

const maxLineLength = 120

// Scripts of attackers are kept as they were found.
const unformatted = ['test/hostile/scripts/']
const own = ['test/static/dialect.ts', 'test/static/prose.test.ts']

const files = globSync('{src,test}/**/*.{ts,js,mjs,css,html}', { cwd: root })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => !unformatted.some(folder => path.startsWith(folder)))
  .map(path => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))

const dialect = matchPhrases(phrases)

// Comments on lines of their own, and the titles of tests.
function proseOf(text: string): string[] {
  const comments = text.match(/^\s*\/\/.*(?:\n\s*\/\/.*)*|^\s*\/\*[\s\S]*?\*\//gm) ?? []
  const titles = text.match(/\b(?:test|describe)\b[\w.<>,[\] ]*\(\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`)/g) ?? []
  const tables = text.match(/^\s*\]\)\(\s*(?:'[^'\n]*'|`[^`]*`)/gm) ?? []
  return [...comments, ...titles, ...tables]
}

test('there are files to look at, with comments and titles', () => {
  expect(files.length).toBeGreaterThan(600)
  expect(files.flatMap(({ text }) => proseOf(text)).length).toBeGreaterThan(3_000)
})

test('no line of code has more than 120 characters', () => {
  const long = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ place: `${path}:${index + 1}`, line }))
      .filter(({ line }) => line.length > maxLineLength),
  )
  expect(long.map(({ place }) => place)).toEqual([])
})

test('no comment and no title of a test has a phrase of the old dialect', () => {
  const found = files
    .filter(({ path }) => !own.includes(path))
    .flatMap(({ path, text }) =>
      proseOf(text).flatMap(prose => (prose.match(dialect) ?? []).map(phrase => `${path}: ${phrase}`)),
    )
  expect(found).toEqual([])
})

test.each([
  ['a comment', '// Whoever asks is told.', 2],
  ['a comment of two lines', '// There are so\n// many of them.', 1],
  ['a block', '/** A body\n * of ours. */', 1],
  ['a title', "test('is read anew', () => {", 1],
  ['a title of a table', "])('is kept for ever', async () => {", 1],
])('a phrase in %s is found', (_, text, count) => {
  expect(proseOf(text).flatMap(prose => prose.match(dialect) ?? [])).toHaveLength(count)
})

test('code is not searched for phrases', () => {
  expect(proseOf("const told = 'whoever'").flatMap(prose => prose.match(dialect) ?? [])).toEqual([])
})
