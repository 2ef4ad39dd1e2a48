import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig, settingNames } from '../../src/config.ts'
import { runErrorCodes } from '../../src/domain/scripts/run.ts'
import { catalogue, conflictReasons } from '../../src/errors.ts'
import { bounds } from '../../src/graphql/bounds/bounds.ts'
import { maxRepetition } from '../../src/graphql/bounds/refuse-repetition.ts'
import { restRoutes } from '../../src/http/rest/rest-routes.ts'
import { schema } from '../../src/schema/index.ts'
import { pages, readPage, readTable, root } from './pages.ts'

const withoutTicks = (cell = '') => cell.replaceAll('`', '')
const firstCells = (path: string, heading: string) =>
  readTable(readPage(path), heading).map(([cell]) => withoutTicks(cell))

describe('the table of settings', () => {
  const rows = readTable(readPage('docs/settings.md'), 'Table')

  test('names every setting, in the order of the code', () => {
    expect(rows.map(([name]) => withoutTicks(name))).toEqual(settingNames)
  })

  test('gives the defaults of the code', () => {
    const defaults = rows.flatMap(([name, value = '']) =>
      /^`.*`$/.test(value) ? [[withoutTicks(name), withoutTicks(value)]] : [],
    )
    expect(defaults.length).toBeGreaterThan(15)
    expect(readConfig(Object.fromEntries(defaults))).toEqual(readConfig({}))
  })

  test('is the only one, and the README says where it is', () => {
    const others = pages.filter(({ path }) => path !== 'docs/settings.md')
    expect(others.filter(({ text }) => /^\| `(ROSTRUM_|DATABASE_URL|HOST|PORT)/m.test(text))).toEqual([])
    expect(readPage('README.md').text).toContain('[Settings](docs/settings.md) has the one table')
  })
})

test('the table of REST has every method and path, and no other', () => {
  const written = readTable(readPage('docs/rest.md'), 'Paths').flatMap(([cell = '']) =>
    [...cell.matchAll(/`([A-Z]+) ([^`?]+)[^`]*`/g)].map(match => `${match[1]} ${match[2]}`),
  )
  const served = restRoutes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  const open = [
    'POST /api/1/webhook/{account_nickname}/{name}',
    'GET /health',
    'GET /ready',
    'GET /',
    'GET /docs/{page}.md',
  ]
  expect(written.toSorted()).toEqual([...served, ...open].toSorted())
})

test('the table of errors has the codes of the catalogue and their statuses', () => {
  const written = readTable(readPage('docs/rest.md'), 'Errors').map(([code, status]) => [
    withoutTicks(code),
    Number(status),
  ])
  expect(Object.fromEntries(written)).toEqual(
    Object.fromEntries(Object.entries(catalogue).map(([code, { status }]) => [code, status])),
  )
})

test('the table of conflicts has the reasons of the code, in its order', () => {
  expect(firstCells('docs/rest.md', 'Conflicts')).toEqual(Object.keys(conflictReasons))
})

test('the table of troubles says what to do about every code of an error, and leads to the reasons', () => {
  const rows = readTable(readPage('docs/operate.md'), 'Troubleshooting')
  const found = rows.flatMap(([cell = '']) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code))
  const codes = [...Object.keys(catalogue), ...runErrorCodes]
  expect(codes.filter(code => !found.includes(code))).toEqual([])
  const known = [...codes, ...settingNames]
  expect(found.filter(code => !known.includes(code ?? ''))).toEqual([])
  const [, advice] = rows.find(([cell = '']) => cell.includes('`CONFLICT`')) ?? []
  expect(advice).toContain('rest.md#conflicts')
})

test('the tables of scripts have every name that a script sees, and every code of an error', () => {
  const names = firstCells('docs/scripts.md', 'What a script sees').join(' ')
  const globals = 'payload options exit fail log console graphql Platform requestContext generateGuid'.split(
    ' ',
  )
  expect(globals.filter(name => !names.includes(name))).toEqual([])
  const codes = firstCells('docs/scripts.md', 'How a run ends').filter(cell => /^[A-Z]/.test(cell))
  expect(codes.filter(code => code !== 'error.code').toSorted()).toEqual(runErrorCodes.toSorted())
})

test('the page of GraphQL names every root field and gives every bound', () => {
  const { text } = readPage('docs/graphql.md')
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const fields = roots.flatMap(type => Object.keys(type?.getFields() ?? {}))
  expect(fields.filter(name => !new RegExp(`\`${name}\\b`).test(text))).toEqual([])
  const written = readTable(readPage('docs/graphql.md'), 'Bounds').flatMap(([, most = '']) =>
    most.split('; '),
  )
  const most = [...Object.values(bounds), maxRepetition.pairs].map(bound => bound.toLocaleString('en-US'))
  expect(written.toSorted()).toEqual(most.toSorted())
})

test('the commands that pages name are in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const named = pages.flatMap(({ text }) => [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)])
  expect(named.length).toBeGreaterThan(5)
  expect(named.map(match => match[1] ?? '').filter(name => !Object.hasOwn(scripts, name))).toEqual([])
})
