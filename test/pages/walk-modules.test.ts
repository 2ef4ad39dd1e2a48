import { globSync, readFileSync } from 'node:fs'
import ts from '@typescript/typescript6'
import { expect, test } from 'vitest'
import { pageList } from '../../src/http/pages/page-list.ts'
import { stripModule, stripPackageModule, walkModules } from '../../src/http/pages/walk-modules.ts'

test('a module is sent without its types and the comments in lines of their own', () => {
  const text =
    '/** Adds\n * two. */\n  // This goes.\nexport const add = (one: number) => one + 2 // This stays.\n'
  expect(stripModule(text)).toBe('export const add = (one        ) => one + 2 // This stays.\n')
})

test('no text between backticks has a comment of this kind', () => {
  const files = globSync('src/pages/**/*.ts').filter(file => {
    const parts = readFileSync(file, 'utf8').split(/^ *(?:\/\*\*[\s\S]*?\*\/ *|\/\/.*)\n/m)
    // The backticks before a comment are pairs.
    return parts.some(part => part.split('`').length % 2 === 0)
  })
  expect(files).toEqual([])
})

test('a module of a package is sent without comments, but with its licence, and is the same program', () => {
  const text =
    '/**\n * @license MIT\n */\nlet a = 1 // This stays.\n  // This goes.\n\t/**\n\tAnd this.\n\t*/\nlet b\n'
  expect(stripPackageModule(text)).toBe('/**\n * @license MIT\n */\nlet a = 1 // This stays.\nlet b\n')
  const { modules } = walkModules(pageList.map(page => page.module))
  const packages = [...modules.values()].filter(({ file }) => !file.endsWith('.ts'))
  expect(packages.length).toBeGreaterThan(15)
  const compilerOptions = { removeComments: true, target: ts.ScriptTarget.ESNext }
  const print = (code: string) => ts.transpileModule(code, { compilerOptions }).outputText
  const changed = packages.filter(module => print(module.text) !== print(readFileSync(module.file, 'utf8')))
  expect(changed.map(({ file }) => file)).toEqual([])
})
