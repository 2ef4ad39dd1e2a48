import type { GatewayClient } from '../../server/clients/gateway-client.ts'
import type { Answer } from '../../server/clients/send-request.ts'

const query = `mutation($name: String!) {
  saveUser(input: { id: 900, displayName: $name }) { displayName }
  saveTeam(input: { id: 900, name: $name }) { name }
  saveCaseType(input: { code: "named", indexedFields: [$name] }) { indexedFields } }`

/** Saves a user, a team and a case type, each with this name. */
export function saveNames(server: GatewayClient, key: string, name: string): Promise<Answer> {
  const body = { query, variables: { name } }
  return server.rest('POST', '/graphql', { body, headers: { 'idempotency-key': key } })
}

/** Returns the names that the three have. */
export async function readNames(server: GatewayClient): Promise<unknown> {
  const fields =
    'user(id: 900) { displayName } team(id: 900) { name } caseType(code: "named") { indexedFields }'
  const { body } = await server.graphql<Record<'user' | 'team' | 'caseType', object>>(`{ ${fields} }`)
  return Object.values(body.data ?? {}).flatMap(found => Object.values(found).flat())
}
