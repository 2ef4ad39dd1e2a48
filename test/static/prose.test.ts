import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { matchPhrases, phrases } from './rules/dialect.ts'
import { root } from './rules/source-files.ts'

const maxLineLength = 120

// The heads of hostile scripts have expected results, each in one line.
const longLines = ['test/hostile/scripts/']
const own = ['test/static/rules/dialect.ts', 'test/static/prose.test.ts']

const files = globSync('{src,test}/**/*.{ts,js,mjs,css,html}', { cwd: root })
  .map(path => path.replaceAll('\\', '/'))
  .map(readSource)

// Searched as a whole. The test of the docs looks at the README and `docs/`.
const otherFiles = ['schema.graphql', 'Dockerfile', 'compose.yaml', 'SECURITY.md'].map(readSource)

function readSource(path: string) {
  return { path, text: readFileSync(`${root}${path}`, 'utf8') }
}

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
  const formatted = files.filter(({ path }) => !longLines.some(folder => path.startsWith(folder)))
  const long = [...formatted, ...otherFiles].flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ place: `${path}:${index + 1}`, line }))
      .filter(({ line }) => line.length > maxLineLength),
  )
  expect(long.map(({ place }) => place)).toEqual([])
})

test('no comment, title of a test or description has a phrase of the old dialect', () => {
  const found = files
    .filter(({ path }) => !own.includes(path))
    .map(({ path, text }) => ({ path, prose: proseOf(text) }))
    .concat(otherFiles.map(({ path, text }) => ({ path, prose: [text] })))
    .flatMap(({ path, prose }) =>
      prose.flatMap(part => part.match(dialect) ?? []).map(phrase => `${path}: ${phrase}`),
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

// A comment that begins with "Of" leans on the name below it. A function returns a value, as in the field's own words.
const fragments = /^\s*(?:\/\/|\/\*\*?)\s*(?:\*\s*)?Of\b|\bGives\b/g

function findFragments(text: string): string[] {
  return proseOf(text).flatMap(prose => (/^\s*\//.test(prose) ? (prose.match(fragments) ?? []) : []))
}

test('no comment of `src` begins with "Of", and none says "Gives" where a function returns', () => {
  const broken = files.filter(({ path, text }) => path.startsWith('src/') && findFragments(text).length > 0)
  expect(broken.map(({ path }) => path)).toEqual([])
})

test.each([
  ['a line', '// Of one transaction.'],
  ['an indented line', '  // Of one transaction.'],
  ['a block of one line', '  /** Of the last attempt. */'],
  ['a block', '/**\n * Of one parent.\n */'],
  ['the doc comment of a function', '/** Gives the id back. */'],
  ['its second sentence', '/**\n * Deletes keys. Gives\n * their number.\n */'],
])('a fragment in %s is found', (_, text) => {
  expect(findFragments(text)).toHaveLength(1)
})

test.each([
  '// A list of events. Offers none.',
  '/** Returns the rows\n * of one parent. */',
  "test('Gives a title its own words', () => {",
  "const text = 'Of one transaction.'",
])('%j is no fragment', text => {
  expect(findFragments(text)).toEqual([])
})

test('code is not searched for phrases', () => {
  expect(proseOf("const told = 'whoever'").flatMap(prose => prose.match(dialect) ?? [])).toEqual([])
})
