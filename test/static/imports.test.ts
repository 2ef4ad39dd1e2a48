import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

// Which room may import from which, besides itself and what is for all (design: "Rooms").
const edges: Readonly<Record<string, readonly string[]>> = {
  http: [
    'graphql',
    'credentials',
    'domain/idempotency',
    'domain/webhooks',
    'domain/functions/function-refusals.ts',
    'domain/scripts/run.ts',
    'domain/scripts/run-follower.ts',
    'operations',
    'openapi/print-document.ts',
    'metrics',
    'v8/when-quiet.ts',
  ],
  graphql: ['schema', 'domain/scripts/graphql-call.ts'],
  schema: ['domain', 'scripts', 'credentials/caller.ts'],
  domain: ['credentials/caller.ts'],
  metrics: [],
  openapi: ['domain/idempotency/key-rule.ts'],
  store: ['domain'],
  scripts: ['credentials', 'operations', 'domain/scripts'],
  operations: [],
  credentials: ['domain'],
  tracing: [],
  sandbox: ['scripts/protocol.ts'],
  // They run in a browser.
  pages: ['json/inexact-integer.ts', 'json/scanner.ts'],
  cli: [
    'commands/parse-flags.ts',
    'app.ts',
    'domain/functions/functions.ts',
    'domain/id.ts',
    'domain/name.ts',
    'openapi/print-document.ts',
    'pages/gateway/gateway-error.ts',
    'pages/gateway/read-events.ts',
    'schema/index.ts',
    'scripts/calls',
    'scripts/create-compiler.ts',
    'scripts/pool',
    'store/copy/backup-sqlite.ts',
  ],
  commands: ['app.ts', 'credentials', 'domain', 'schema', 'store', 'scripts/run/run-tokens.ts', 'v8/tune.ts'],
  v8: [],
}

const forAll = [
  'cannot-listen.ts',
  'config.ts',
  'errors.ts',
  'signals',
  'bound-log.ts',
  'guid.ts',
  'context.ts',
  'fairness',
  'json',
  'import-quickly.ts',
  'load-once.ts',
  'show-controls.ts',
  'tracing',
  'version.ts',
]

// What a room is the only one to know.
const owners: Readonly<Record<string, string>> = {
  'isolated-vm': 'sandbox',
  'drizzle-orm': 'store',
  'better-sqlite3': 'store',
  pg: 'store',
  fastify: 'http',
  'graphql-yoga': 'http',
  '@graphql-yoga/render-graphiql': 'http',
  '@pothos/core': 'schema',
  jose: 'credentials',
  lit: 'pages',
  '@opentelemetry/api': 'tracing',
  '@opentelemetry/otlp-exporter-base': 'tracing',
  '@opentelemetry/otlp-transformer': 'tracing',
  '@opentelemetry/resources': 'tracing',
  '@opentelemetry/sdk-trace': 'tracing',
}

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const imports: Import[] = []

beforeAll(async () => {
  const files = await readdir(src, { recursive: true })
  for (const file of files.filter(name => name.endsWith('.ts'))) {
    const text = await readFile(join(src, file), 'utf8')
    const from = file.replaceAll('\\', '/')
    for (const [, typeOnly, to] of text.matchAll(
      /^(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]/gm,
    )) {
      imports.push({ from, to: resolve(from, to ?? ''), typeOnly: typeOnly !== undefined })
    }
    for (const [, to] of text.matchAll(/\bimport\(?\s*['"]([^'"]+)['"]/g)) {
      imports.push({ from, to: resolve(from, to ?? ''), typeOnly: false })
    }
  }
})

function resolve(from: string, to: string): string {
  if (!to.startsWith('.')) return to
  return posix.normalize(posix.join(dirname(from), to))
}

const roomOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '')

const isOwn = (to: string) => to.endsWith('.ts')

function isAllowed({ from, to }: Import): boolean {
  const room = roomOf(from)
  if (room === '' || roomOf(to) === room) return true
  const isApart = room === 'sandbox' || room === 'pages'
  const allowed = [...(isApart ? [] : forAll), ...(edges[room] ?? [])]
  return allowed.some(target => to === target || to.startsWith(`${target}/`))
}

test('there are imports to look at, from every room', () => {
  expect(imports.length).toBeGreaterThan(200)
  expect([...new Set(imports.map(({ from }) => roomOf(from)))].sort()).toEqual(
    [
      '',
      'cli',
      'commands',
      'credentials',
      'domain',
      'graphql',
      'http',
      'json',
      'fairness',
      'metrics',
      'openapi',
      'operations',
      'pages',
      'sandbox',
      'schema',
      'signals',
      'store',
      'scripts',
      'tracing',
      'v8',
    ].sort(),
  )
})

test('imports go one way between the rooms', () => {
  const bad = imports.filter(edge => isOwn(edge.to) && !isAllowed(edge))
  expect(bad.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
})

test('no file imports itself through others, types included', () => {
  const targets = Map.groupBy(
    imports.filter(({ to }) => isOwn(to)),
    ({ from }) => from,
  )
  const done = new Set<string>()
  const circles: string[] = []
  function follow(file: string, path: readonly string[]): void {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file)) return
    done.add(file)
    for (const { to } of targets.get(file) ?? []) follow(to, [...path, file])
  }
  for (const file of targets.keys()) follow(file, [])
  expect(circles).toEqual([])
})

// The top of `src` has edges of its own.
test('the folders inside each room import each other one way, types included', () => {
  const targets = new Map<string, Set<string>>()
  for (const { from, to } of imports.filter(edge => isOwn(edge.to))) {
    const [user, used] = splitWhereDifferent(from, to)
    if (user !== null) targets.set(user, (targets.get(user) ?? new Set()).add(used))
  }
  const circles: string[] = []
  function follow(folder: string, path: readonly string[]): void {
    if (path.includes(folder)) circles.push([...path.slice(path.indexOf(folder)), folder].join(' -> '))
    else for (const next of targets.get(folder) ?? []) follow(next, [...path, folder])
  }
  for (const folder of targets.keys()) follow(folder, [])
  expect(circles).toEqual([])
  expect(targets.size).toBeGreaterThan(40)
})

// The two folders of one room in which two files are; nulls for files that are not in two such folders.
function splitWhereDifferent(from: string, to: string): readonly [string, string] | readonly [null, null] {
  const [user, used] = [dirname(from).split('/'), dirname(to).split('/')]
  const place = user.findIndex((name, index) => name !== used[index])
  if (place < 1 || place >= used.length) return [null, null]
  return [user.slice(0, place + 1).join('/'), used.slice(0, place + 1).join('/')]
}

test('rules and their store have different file names', () => {
  const namesBelow = (room: string) =>
    new Set(imports.filter(({ from }) => from.startsWith(`${room}/`)).map(({ from }) => posix.basename(from)))
  expect([...namesBelow('domain').intersection(namesBelow('store'))]).toEqual([])
})

test('what `context.ts` names of the rooms are types, so that it ties none of them to another', () => {
  const isRoom = (to: string) => isOwn(to) && roomOf(to) !== '' && !forAll.includes(roomOf(to))
  const bad = imports.filter(({ from, to, typeOnly }) => from === 'context.ts' && isRoom(to) && !typeOnly)
  expect(bad).toEqual([])
})

test('only the composition root, the commands and the tests wire rooms together', () => {
  const bad = imports.filter(({ from, to }) => to === 'app.ts' && !['commands', 'cli'].includes(roomOf(from)))
  expect(bad).toEqual([])
  const fromRoot = imports.filter(
    ({ from, to }) => isOwn(to) && ['config.ts', 'errors.ts'].includes(from) && roomOf(to) !== '',
  )
  expect(fromRoot).toEqual([])
})

test('each library that belongs to a room is known to that room alone', () => {
  const packageOf = (to: string) =>
    to
      .split('/')
      .slice(0, to.startsWith('@') ? 2 : 1)
      .join('/')
  const bad = imports.filter(({ from, to }) => {
    const owner = owners[packageOf(to)]
    return owner !== undefined && roomOf(from) !== owner
  })
  expect(bad.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
})

test('the sandbox imports only itself, Node, isolated-vm and the protocol it shares', () => {
  const foreign = imports
    .filter(({ from }) => roomOf(from) === 'sandbox')
    .map(({ to }) => to)
    .filter(to => roomOf(to) !== 'sandbox' && !to.startsWith('node:') && to !== 'scripts/protocol.ts')
  expect([...new Set(foreign)]).toEqual(['isolated-vm'])
})

test('every relative import names a file of src', async () => {
  const files = new Set(await readdir(src, { recursive: true }))
  const missing = imports.filter(({ to }) => isOwn(to) && !files.has(to))
  expect(missing.map(({ from, to }) => `${relative(src, join(src, from))} -> ${to}`)).toEqual([])
})
