import { createHash } from 'node:crypto'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { Client, fetchExchange } from '@urql/core'
import { persistedExchange } from '@urql/exchange-persisted'
import { expect, test } from 'vitest'
import { shareServer } from '../server/gateways/share-server.ts'

test('Apollo Client sends the text after its hash was refused', async () => {
  const server = await shareServer()
  const sent: boolean[] = []
  const hashes = new PersistedQueryLink({ sha256: text => createHash('sha256').update(text).digest('hex') })
  const link = new HttpLink({
    uri: `${server.baseUrl}/graphql`,
    headers: { authorization: `Bearer ${server.adminToken}` },
    fetch: (url, options) => {
      sent.push('query' in JSON.parse(String(options?.body)))
      return fetch(url, options)
    },
  })
  const client = new ApolloClient({ link: hashes.concat(link), cache: new InMemoryCache() })
  const { data } = await client.query({ query: gql`{ viewer { accountCode } }` })
  expect(data).toMatchObject({ viewer: { accountCode: server.account } })
  expect(sent).toEqual([false, true])
})

test('urql sends the text after its hash was refused, and no hash again', async () => {
  const server = await shareServer()
  const sent: boolean[] = []
  const client = new Client({
    url: `${server.baseUrl}/graphql`,
    exchanges: [persistedExchange({ preferGetForPersistedQueries: false }), fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${server.adminToken}` } },
    fetch: (url, options) => {
      sent.push('query' in JSON.parse(String(options?.body)))
      return fetch(url, options)
    },
  })
  for (const name of ['a', 'b']) {
    const { data, error } = await client.query(`query ${name} { viewer { accountCode } }`, {})
    expect([data, error]).toEqual([{ viewer: { accountCode: server.account } }, undefined])
  }
  expect(sent).toEqual([false, true, true])
})
