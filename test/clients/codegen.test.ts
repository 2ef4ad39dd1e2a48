import { readFileSync } from 'node:fs'
import { UrlLoader } from '@graphql-tools/url-loader'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { expect, test } from 'vitest'
import { shareServer } from '../server/gateways/share-server.ts'

const committed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')

// GraphQL Code Generator loads schemas with it.
test('the loader of code generators gets the schema from a gateway', async () => {
  const server = await shareServer()
  const headers = { authorization: `Bearer ${server.adminToken}` }
  const [loaded] = await new UrlLoader().load(`${server.baseUrl}/graphql`, { headers })
  if (loaded?.schema === undefined) throw new Error('expected a schema')
  expect(printSchema(lexicographicSortSchema(loaded.schema)).trim()).toBe(committed.trim())
})
