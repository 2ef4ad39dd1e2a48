import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { createClient } from 'graphql-sse'
import { beforeAll, expect, test } from 'vitest'
import { addMembership } from '../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { newestCursor } from './newest-cursor.ts'

let server: SharedServer
let client: Client

beforeAll(async () => {
  server = await shareServer()
  const url = `${server.baseUrl}/graphql`
  const headers = { authorization: `Bearer ${server.adminToken}` }
  const streams = createClient({ url, headers })
  const forwardSubscription = subscriptionExchange({
    forwardSubscription: ({ query = '', variables = {} }) => ({
      subscribe: sink => ({ unsubscribe: streams.subscribe({ query, variables }, sink as never) }),
    }),
  })
  client = new Client({
    url,
    exchanges: [fetchExchange, forwardSubscription],
    fetchOptions: { headers },
    preferGetMethod: false,
  })
})

test('urql adds a membership, and reads it with its user', async () => {
  const mutation = 'mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { id } }'
  const added = await client.mutation(mutation, { input: { userId: 8, teamId: 3 } }).toPromise()
  expect(added.error).toBeUndefined()
  const { id } = added.data.addTeamMembership
  const read = await client.query('query ($id: ID!) { teamMembership(id: $id) { user { id } } }', { id })
  expect(read.data).toEqual({ teamMembership: { user: { id: '8' } } })
})

test.each([
  ['an operation', 'mutation { removeTeamMembership(id: 99999) { id } }', 'NOT_FOUND'],
  ['an invalid document', 'mutation { nothing }', 'BAD_USER_INPUT'],
])('urql sees the code of an error of %s', async (_, text, code) => {
  const { error } = await client.mutation(text, {}).toPromise()
  expect(error?.graphQLErrors.map(({ extensions }) => extensions.code)).toEqual([code])
})

test('urql follows events through graphql-sse', async () => {
  await addMembership(server, { user_id: 9, team_id: 5 })
  const after = await newestCursor(server)
  const row = await addMembership(server, { user_id: 9, team_id: 6 })
  const query = 'subscription ($after: String) { teamMembershipChanged(after: $after) { teamMembershipId } }'
  const seen = await new Promise<unknown>((resolve, reject) => {
    const { unsubscribe } = client.subscription(query, { after }).subscribe(({ data, error }) => {
      if (error) reject(error)
      resolve(data)
      setImmediate(() => unsubscribe())
    })
  })
  expect(seen).toEqual({ teamMembershipChanged: { teamMembershipId: String(row.id) } })
})
