import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { preset } from '@graphql-codegen/client-preset'
import { codegen } from '@graphql-codegen/core'
import { buildSchema, parse } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { printDocument } from '../../src/openapi/print-document.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// Inside the repository, so that the compiler finds the packages that generated code imports.
const folder = join(root, 'node_modules/.cache/rostrum-generated')

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
  await mkdir(folder, { recursive: true })
})

const compilerOptions = {
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: [],
}

// The generator uses the compiler from a program, which TypeScript 7 does not offer.
async function importWithOldCompiler<Module>(doImport: () => Promise<Module>): Promise<Module> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'typescript' ? '@typescript/typescript6' : specifier, context),
  })
  try {
    return await doImport()
  } finally {
    hooks.deregister()
  }
}

async function compile(name: string): Promise<string> {
  const project = join(folder, name, 'tsconfig.json')
  await writeFile(project, JSON.stringify({ compilerOptions, include: ['.'] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(
    (error: { readonly stdout: string }) => error,
  )
  return stdout
}

test('a client that is generated from the OpenAPI document compiles and works', async () => {
  const path = join(folder, 'rest')
  const { createClient } = await importWithOldCompiler(() => import('@hey-api/openapi-ts'))
  await createClient({
    input: JSON.parse(printDocument()),
    output: { path, clean: true },
    plugins: ['@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript'],
    logs: { level: 'silent' },
  })
  await writeFile(
    join(path, 'use.ts'),
    `import { createTeamMembership, getTeamMembership, executeTask } from './sdk.gen'
import { createClient } from './client'
export async function use(baseUrl: string, auth: string) {
  const client = createClient({ baseUrl, auth })
  const body = { team_membership: { user_id: 7, team_id: 3 } }
  const { data: created } = await createTeamMembership({ client, body })
  const id: number = created?.team_membership.id ?? 0
  const { data: read } = await getTeamMembership({ client, path: { id } })
  const { error } = await getTeamMembership({ client, path: { id: id + 1 } })
  const code: 'NOT_FOUND' | string | undefined = error?.code
  const { data: run } = await executeTask({
    client,
    body: { name: 'n', sourceCode: 'exit(payload)', inputDocument: { a: 1 }, options: {} },
  })
  const outcome = typeof run === 'string' ? run : run?.task_execution.outcome
  return { read, code, outcome }
}
`,
  )
  expect(await compile('rest')).toBe('')
  const { use } = (await import(join(path, 'use.ts'))) as {
    use(baseUrl: string, token: string): Promise<unknown>
  }
  expect(await use(server.baseUrl, server.adminToken)).toEqual({
    read: { team_membership: { id: expect.any(Number), user_id: 7, team_id: 3, leader: null } },
    code: 'NOT_FOUND',
    outcome: 'exit',
  })
})

test('a client that is generated from the GraphQL schema compiles and works, and a wrong field does not', async () => {
  const sdl = await readFile(join(root, 'schema.graphql'), 'utf8')
  const path = join(folder, 'graphql')
  await mkdir(path, { recursive: true })
  const query = 'query Who { viewer { accountCode scopes } }'
  const outputs = await preset.buildGeneratesSection({
    ...{
      baseOutputDir: `${path}/`,
      config: { documentMode: 'string', useTypeImports: true },
      presetConfig: {},
    },
    ...{ plugins: [], pluginMap: {}, schema: parse(sdl), schemaAst: buildSchema(sdl) },
    documents: [{ location: 'use.ts', rawSDL: query, document: parse(query) }],
  } as never)
  for (const output of outputs) await writeFile(output.filename, await codegen(output as never))
  const use = `import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { graphql } from './gql'
type ResultOf<D> = D extends DocumentTypeDecoration<infer Result, never> ? Result : never
const document = graphql(\`${query}\`)
export async function use(url: string, token: string) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document.toString() }),
  })
  const { data } = (await answer.json()) as { data: ResultOf<typeof document> }
  return data.viewer.accountCode
}
`
  await writeFile(join(path, 'use.ts'), use)
  expect(await compile('graphql')).toBe('')
  const { use: run } = (await import(join(path, 'use.ts'))) as {
    use(url: string, token: string): Promise<string>
  }
  expect(await run(`${server.baseUrl}/graphql`, server.adminToken)).toBe(server.account)
  await writeFile(join(path, 'use.ts'), use.replace('data.viewer.accountCode', 'data.viewer.nothing'))
  expect(await compile('graphql')).toContain('nothing')
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})
