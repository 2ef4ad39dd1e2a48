import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { runInNewContext } from 'node:vm'
import type typescript from '@typescript/typescript6'
import { beforeAll, expect, test } from 'vitest'
import { examples } from '../../src/pages/playground/draft/examples.ts'
import { createChecker } from '../../src/pages/playground/types/checker.ts'
import type { Problem } from '../../src/pages/playground/types/protocol.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { root } from '../static/rules/source-files.ts'

const load = createRequire(createRequire(import.meta.url).resolve('@typescript/typescript6'))
const ts = load('@typescript/old') as typeof typescript
const folder = dirname(load.resolve('@typescript/old'))
const api = readFileSync(`${root}src/sandbox/rostrum.d.ts`, 'utf8')
const source = ts.createSourceFile('rostrum.d.ts', api, ts.ScriptTarget.Latest, true)

const libraries = globSync('lib.es*.d.ts', { cwd: folder }).concat(
  'lib.decorators.d.ts',
  'lib.decorators.legacy.d.ts',
)
const language = Object.fromEntries(libraries.map(name => [name, readFileSync(`${folder}/${name}`, 'utf8')]))
const answer = createChecker(ts, { language, api })
const check = (script: string, input = '{}') =>
  answer({ id: 1, kind: 'check', script, input, offset: 0, name: '' }) as readonly Problem[]

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

/** The members of an interface, or the names that the file declares, by what they are. */
function declaredNames(): string[] {
  return source.statements.flatMap(statement => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText())
    return ts.isFunctionDeclaration(statement) ? (statement.name?.text ?? []) : []
  })
}

function membersOf(name: string): readonly { readonly name: string; readonly type: string }[] {
  const inside = source.statements.find(statement => ts.isModuleDeclaration(statement))?.body
  const found =
    inside !== undefined && ts.isModuleBlock(inside)
      ? inside.statements.find(one => ts.isInterfaceDeclaration(one) && one.name.text === name)
      : undefined
  if (found === undefined || !ts.isInterfaceDeclaration(found))
    throw new Error(`There is no interface ${name}.`)
  return found.members.map(member => ({
    name: member.name?.getText() ?? '',
    type: ts.isPropertySignature(member) ? (member.type?.getText() ?? '') : 'method',
  }))
}

test('the types name what a script finds in a run, and nothing else', async () => {
  const found = await server.execute<{
    readonly globals: readonly string[]
    readonly console: readonly string[]
    readonly platform: Readonly<Record<string, readonly string[] | null>>
  }>(`const methods = Object.entries(Platform).map(([name, value]) =>
      [name, typeof value === 'object' ? Object.keys(value).sort() : null])
    const globals = []
    for (let place = globalThis; place !== Object.prototype && place; place = Object.getPrototypeOf(place))
      globals.push(...Object.getOwnPropertyNames(place))
    exit({ globals, console: Object.keys(console),
      platform: Object.fromEntries(methods) })`)
  const { globals, console: ownConsole, platform } = found.body.task_execution.payload
  const ofLanguage = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
  ofLanguage.add('constructor').delete('console')
  expect(declaredNames().toSorted()).toEqual(globals.filter(name => !ofLanguage.has(name)).toSorted())
  expect(
    membersOf('Console')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(ownConsole.toSorted())
  const declared = membersOf('Platform').map(({ name, type }) => [
    name,
    type === 'string'
      ? null
      : membersOf(type)
          .map(member => member.name)
          .toSorted(),
  ])
  expect(Object.fromEntries(declared)).toEqual(platform)
})

test('each name has a line of documentation before it', () => {
  const lines = api.split('\n')
  const bare = lines.filter((line, index) => {
    const isName = /^declare (?!namespace)/.test(line) || /^ {4}\w+\(/.test(line)
    return isName && !/\*\/$/.test(lines[index - 1] ?? '')
  })
  expect(bare).toEqual([])
})

test('the examples of the playground and of the docs have no problem', () => {
  const docs = readFileSync(`${root}docs/scripts.md`, 'utf8')
  const blocks = [...docs.matchAll(/^```js\n(\/\/ (\w+)\.js\n[\s\S]*?)^```$/gm)]
  const ofDocs = blocks
    .filter(([, , name]) => name !== 'typo')
    .map(([, script = '']) => ({ script, input: '' }))
  const right = examples.filter(({ script }) => !script.startsWith('// error RUNTIME'))
  expect(ofDocs.length).toBeGreaterThan(1)
  for (const { script, input } of [...ofDocs, ...right]) expect(check(script, input), script).toEqual([])
})

test('a script may return early, and add members to its input', () => {
  expect(check('if (payload.a > 1) return\npayload.b = 2\nexit(payload.b)', '{"a": 1}')).toEqual([])
  expect(check('const now = Temporal.Now.instant()\nexit(String(now))')).toEqual([])
})

test.each(['payload.b ??= 2', 'payload.b ||= 2', 'delete payload.a'])(
  'a script may change its input by `%s`',
  change => {
    expect(check(`${change}\nexit(payload)`, '{"a": 1}')).toEqual([])
  },
)

test('a member that only a late element of a list has is known', () => {
  const rows = [...Array.from({ length: 1_000 }, () => ({ a: 1 })), { a: 1, late: 2 }]
  const input = JSON.stringify({ rows })
  expect(check('exit(payload.rows.at(-1)?.late)', input)).toEqual([])
  expect(check('exit(payload.rows.at(-1)?.lte)', input)).toHaveLength(1)
})

test.each([
  ['fail(', 'fail(', 'message: string', '): never'],
  ['exit(1, ', 'exit(payload?: unknown', '', '): never'],
  ["log('total', 6, ", 'log(', '...data: unknown[]', '): void'],
  [
    "graphql('{ viewer { email } }', ",
    'graphql(query: string, ',
    'variables?: Record<string, unknown> | null',
    ', url?: string): Promise<Rostrum.GraphqlAnswer>',
  ],
])('the types know what the call at the end of `%s` takes', (script, before, argument, after) => {
  const found = answer({
    ...{ id: 1, kind: 'describeCall', script, input: '{}', name: '' },
    offset: script.length,
  })
  expect(found).toMatchObject({ from: script.indexOf('(') + 1, before, argument, after })
  expect(found).not.toHaveProperty('documentation', '')
})

test('outside of a call, no call is described', () => {
  const script = 'log(1)\n'
  const question = { id: 1, kind: 'describeCall', script, input: '{}', name: '' } as const
  expect(answer({ ...question, offset: script.length })).toBeNull()
})

test.each([
  'exti(1)',
  'exit(1, 2)',
  'fail()',
  'fail(1)',
  'log(payload.totl)',
  'payload.total.toUpperCase()',
  'options.params.a; options.requestContext.id',
  'graphql(7)',
  'await graphql("{ viewer { userId } }", "variables")',
  'const { dta } = await graphql("{ viewer { userId } }")',
  'await Platform.team.get(1)',
  'await Platform.teamMemberships.get({ id: 1 })',
  'await Platform.teamMemberships.add({ user: 1, team: 2 })',
  'await Platform.teamMemberships.move(1, { team_id: 2 }, { if_version: 3 })',
  'await Platform.teamMemberships.remove(1, { if_version: 3 })',
  'const user = await Platform.users.get(1); exit(user.email)',
  'await Platform.cases.save({ id: 1 })',
  'await Platform.cases.find({ type: "incident" })',
  'await Platform.tasks.execute("exit(1)")',
  'console.trace(1)',
  'setTimeout(() => exit(1), 10)',
  'require("fs")',
  'fetch("http://127.0.0.1")',
])('%s is refused', script => {
  expect(check(script, '{"total": 3}')).toHaveLength(1)
})

test('the answer of each method fits its type', async () => {
  const mutation = await server.graphql(`mutation {
    saveFunction(input: { name: "noted", sourceCode: "exit({ ...payload, noted: true })" }) { id }
    saveCaseTask(input: { caseTypeCode: "typed", name: "note", functionName: "noted" }) { id }
  }`)
  expect(mutation.body.errors).toBe(undefined)
  const run = await server.execute<
    Readonly<Record<string, unknown>>
  >(`const { teamMemberships, cases } = Platform
    const task = { name: 'n', sourceCode: 'log(1); missing()', inputDocument: {} }
    const steps = {
      'teamMemberships.add': () => teamMemberships.add({ user_id: 77_001, team_id: 77_001 }),
      'teamMemberships.get': ({ add }) => teamMemberships.get(add.id),
      'teamMemberships.list': ({ add }) => teamMemberships.list([add.id]),
      'teamMemberships.move': ({ add }) => teamMemberships.move(add.id, { team_id: 77_002 }),
      'teamMemberships.remove': ({ add }) => teamMemberships.remove(add.id),
      'users.get': () => Platform.users.get(77_001),
      'teams.get': () => Platform.teams.get(77_001),
      'cases.save': () => cases.save({ case_type_code: 'typed', data: { a: 1 } }),
      'cases.get': ({ save }) => cases.get(save.id),
      'cases.list': ({ save }) => cases.list([save.id]),
      'cases.find': () => cases.find({ case_type_code: 'typed', first: 1 }),
      'cases.runTask': ({ save }) => cases.runTask(save.id, 'note'),
      'cases.delete': ({ save }) => cases.delete(save.id),
      'functions.run': () => Platform.functions.run('noted', { a: 1 }),
      'tasks.execute': () => Platform.tasks.execute(task),
    }
    const answers = {}, last = {}
    for (const [name, ask] of Object.entries(steps)) last[name.split('.')[1]] = answers[name] = await ask(last)
    exit(answers)`)
  const { payload, error } = run.body.task_execution
  expect(error).toBe(null)
  const methods = membersOf('Platform').flatMap(({ name, type }) =>
    type === 'string' ? [] : membersOf(type).map(member => `${name}.${member.name}`),
  )
  expect(Object.keys(payload).toSorted()).toEqual(methods.toSorted())
  const lines = Object.entries(payload).map(([name, value], index) => {
    const [object, method] = name.split('.')
    const type = `Awaited<ReturnType<Rostrum.Platform['${object}']['${method}']>>`
    return `/** @type {${type}} */ const answer${index} = ${JSON.stringify(value)}`
  })
  expect(check(lines.join('\n'))).toEqual([])
  expect(check(lines.join('\n').replace('"display_name"', '"displayName"'))).toHaveLength(1)
})
