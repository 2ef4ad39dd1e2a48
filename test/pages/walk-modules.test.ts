import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { stripModule } from '../../src/http/pages/walk-modules.ts'

test('a module is sent without its types and the comments that describe names', () => {
  const text = '/** Adds\n * two. */\nexport const add = (one: number) => one + 2 // This stays.\n'
  expect(stripModule(text)).toBe('export const add = (one        ) => one + 2 // This stays.\n')
})

test('no text between backticks has a comment of this kind', () => {
  const files = globSync('src/pages/**/*.ts').filter(file => {
    const parts = readFileSync(file, 'utf8').split(/^ *\/\*\*[\s\S]*?\*\/ *\n/m)
    // The backticks before a comment are pairs. Those in lines that are comments do not count.
    return parts.some(part => part.replace(/^ *\/\/.*\n/gm, '').split('`').length % 2 === 0)
  })
  expect(files).toEqual([])
})
