import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { beforeAll, expect, test } from 'vitest'
import { shareServer } from '../server/share-server.ts'

let client: ApolloClient

beforeAll(async () => {
  const server = await shareServer()
  const link = new HttpLink({
    uri: `${server.baseUrl}/graphql`,
    headers: { authorization: `Bearer ${server.adminToken}` },
  })
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
