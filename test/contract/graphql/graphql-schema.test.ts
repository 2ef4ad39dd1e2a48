import { readFileSync } from 'node:fs'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const committed = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8')

test('the schema of the running gateway is the committed schema.graphql', async () => {
  const answer = await server.graphql<Record<keyof IntrospectionQuery, unknown>>(getIntrospectionQuery())
  expect(answer.body.errors).toBeUndefined()
  const schema = buildClientSchema(answer.body.data as unknown as IntrospectionQuery)
  expect(printSchema(lexicographicSortSchema(schema)).trim()).toBe(committed.trim())
})

test('the schema command prints it', async () => {
  const { code, stdout } = await runCommand(['schema'], {})
  expect([code, stdout.trim()]).toEqual([0, committed.trim()])
})

test.each([
  'teamMembership(id: ID!): TeamMembership',
  'teamMemberships(ids: [ID!]!): [TeamMembership!]!',
  'user(id: ID!): User',
  'team(id: ID!): Team',
  'viewer: Viewer!',
  'leader: Boolean',
])('the schema says `%s`', line => {
  const flat = committed
    .replace(/"""[\s\S]*?"""/g, '')
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/ \)/g, ')')
  expect(flat).toContain(line)
})
