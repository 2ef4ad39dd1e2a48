import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  Observable,
} from '@apollo/client'
import { print } from 'graphql'
import { createClient } from 'graphql-sse'
import { beforeAll, expect, test } from 'vitest'
import { addMembership } from '../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { newestCursor } from './newest-cursor.ts'

let server: SharedServer
let client: ApolloClient

beforeAll(async () => {
  server = await shareServer()
  const url = `${server.baseUrl}/graphql`
  const headers = { authorization: `Bearer ${server.adminToken}` }
  const streams = createClient({ url, headers })
  const follow = new ApolloLink(
    ({ query, variables }) =>
      new Observable(sink => streams.subscribe({ query: print(query), variables }, sink as never)),
  )
  const isSubscription = ({ operationType }: ApolloLink.Operation) => operationType === 'subscription'
  const link = ApolloLink.split(isSubscription, follow, new HttpLink({ uri: url, headers }))
  client = new ApolloClient({ link, cache: new InMemoryCache() })
})

test('Apollo Client adds a membership, and reads it with its user', async () => {
  const mutation = gql`mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { id userId } }`
  const added = await client.mutate<{ addTeamMembership: { id: string; userId: string } }>({
    mutation,
    variables: { input: { userId: 7, teamId: 3 } },
  })
  const id = added.data?.addTeamMembership.id
  const query = gql`query ($id: ID!) { teamMembership(id: $id) { id teamId user { id } } }`
  const read = await client.query({ query, variables: { id } })
  expect(read.data).toMatchObject({ teamMembership: { id, teamId: '3', user: { id: '7' } } })
})

test('Apollo Client sees the code of an error', async () => {
  const mutation = gql`mutation { removeTeamMembership(id: 99999) { id } }`
  const error = await client.mutate({ mutation }).catch(thrown => thrown)
  expect(CombinedGraphQLErrors.is(error)).toBe(true)
  expect(error.errors[0].extensions.code).toBe('NOT_FOUND')
})

test('Apollo Client sees the code of an invalid document', async () => {
  const error = await client.query({ query: gql`{ nothing }` }).catch(thrown => thrown)
  expect(error.errors[0].extensions.code).toBe('BAD_USER_INPUT')
})

test('Apollo Client follows events through graphql-sse', async () => {
  await addMembership(server, { user_id: 19, team_id: 5 })
  const after = await newestCursor(server)
  const row = await addMembership(server, { user_id: 19, team_id: 6 })
  const query = gql`
    subscription ($after: String) { teamMembershipChanged(after: $after) { teamMembershipId } }`
  const seen = await new Promise<unknown>((resolve, reject) => {
    const events = client.subscribe({ query, variables: { after } }).subscribe({
      next({ data, error }) {
        if (error) reject(error)
        resolve(data)
        setImmediate(() => events.unsubscribe())
      },
      error: reject,
    })
  })
  expect(seen).toMatchObject({ teamMembershipChanged: { teamMembershipId: String(row.id) } })
})
