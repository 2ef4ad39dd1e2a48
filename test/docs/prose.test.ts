import { existsSync, globSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { matchPhrases, phrases } from '../static/rules/dialect.ts'
import { type Page, pages, root } from './pages.ts'

const files = globSync('{src,test,drizzle,docs}/**/*', { cwd: root })

const dialect = matchPhrases([...phrases, 'had'])

// Output is as long as it is.
const withoutAnswers = (text: string) => text.replace(/^```(json|http|text)\n[\s\S]*?^```$/gm, '')

// As GitHub makes them of headings.
const anchorsOf = ({ text }: Page) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

test('the README has at most 150 lines, every other page fewer than 200', () => {
  const counts = pages.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
  expect(counts.filter(({ path, lines }) => lines > (path === 'README.md' ? 150 : 199))).toEqual([])
})

describe.each(pages)('$path', page => {
  const { path, text } = page
  const folder = dirname(path)

  test('has no word of the old dialect', () => {
    expect(withoutAnswers(text).match(dialect)).toBeNull()
  })

  test('has no line over 120 characters', () => {
    expect(
      withoutAnswers(text)
        .split('\n')
        .filter(line => line.length > 120),
    ).toEqual([])
  })

  test('links to pages and headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
    const broken = links.filter(([, target = '', anchor]) => {
      const linked = target === '' ? path : normalize(join(folder, target))
      if (!existsSync(root + linked)) return true
      const linkedPage = pages.find(candidate => candidate.path === linked)
      return anchor !== undefined && (linkedPage === undefined || !anchorsOf(linkedPage).includes(anchor))
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  test('names files that exist', () => {
    const spans = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, span = '']) => span.split(' '))
    const named = spans.filter(
      word => /^(src|test|drizzle|docs)\/[\w./-]*$/.test(word) || /^[\w-]+\.(graphql|yaml)$/.test(word),
    )
    // `npx vitest run` takes the beginning of a path.
    const exists = (word: string) => existsSync(root + word) || files.some(file => file.startsWith(word))
    expect(named.filter(word => !exists(word))).toEqual([])
  })
})
