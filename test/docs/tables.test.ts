import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig, settingNames } from '../../src/config.ts'
import { restRoutes } from '../../src/http/rest-routes.ts'
import { pages, readPage, readTable, root } from './pages.ts'

const settingRows = readTable(readPage('README.md'), 'Settings')
const withoutTicks = (cell: string) => cell.replaceAll('`', '')

describe('the table of settings', () => {
  test('names every setting, in the order of the code', () => {
    expect(settingRows.map(([name = '']) => withoutTicks(name))).toEqual(settingNames)
  })

  test('gives the defaults of the code', () => {
    const defaults = settingRows.flatMap(([name = '', value = '']) =>
      /^`.*`$/.test(value) ? [[withoutTicks(name), withoutTicks(value)]] : [],
    )
    expect(defaults.length).toBeGreaterThan(15)
    expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}))
  })

  test('is the only one: no other page repeats a row', () => {
    const rows = pages.flatMap(
      ({ text }) => text.match(/^\| `(ROSTRUM_\w+|DATABASE_URL|HOST|PORT)` \|/gm) ?? [],
    )
    expect(rows.length).toBe(new Set(rows).size)
  })
})

test('the table of REST has every method and path, and no other', () => {
  const written = readTable(readPage('README.md'), 'REST').flatMap(row =>
    [...(row[0] ?? '').matchAll(/`([A-Z]+) ([^`?]+)[^`]*`/g)].map(match => `${match[1]} ${match[2]}`),
  )
  const served = restRoutes.map(route => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
  expect(written.toSorted()).toEqual([...served, 'GET /health', 'GET /ready'].toSorted())
})

test('the table of names has all that a script sees', () => {
  const names = readTable(readPage('README.md'), 'What a script sees')
    .map(row => row[0])
    .join(' ')
  const globals = [
    'payload',
    'options',
    'exit',
    'fail',
    'log',
    'graphql',
    'Platform',
    'requestContext',
    'generateGuid',
  ]
  expect(globals.filter(name => !names.includes(`\`${name}`))).toEqual([])
})

test.each(pages)('every file that $path names is there', ({ text }) => {
  const named = [
    ...text.matchAll(/`((?:src|test|drizzle|docs)\/[\w./-]*|[\w-]+\.(?:graphql|md|json|yaml))`/g),
  ]
  expect(named.map(match => match[1] ?? '').filter(name => !existsSync(root + name))).toEqual([])
})
