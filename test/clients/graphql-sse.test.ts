import { createClient } from 'graphql-sse'
import { expect, test } from 'vitest'
import { shareServer } from '../server/gateways/share-server.ts'

test.each([
  ['its text', 'subscription { nothing }', 'BAD_USER_INPUT'],
  ['its input', 'subscription { teamMembershipChanged(after: "nothing") { kind } }', 'BAD_USER_INPUT'],
  ['its rights', 'subscription { teamMembershipChanged { kind } }', 'FORBIDDEN'],
])('graphql-sse sees the code of a subscription that is refused for %s', async (_, query, code) => {
  const server = await shareServer()
  const token = await server.token({ account: `${server.account}-reader`, scopes: ['cases:read'] })
  const client = createClient({
    url: `${server.baseUrl}/graphql`,
    headers: { authorization: `Bearer ${code === 'FORBIDDEN' ? token : server.adminToken}` },
    retryAttempts: 0,
  })
  const results = await Array.fromAsync(client.iterate({ query }))
  expect(results.map(({ errors }) => errors?.[0]?.extensions?.code)).toEqual([code])
})
