import type { GatewayClient } from '../server/clients/gateway-client.ts'

type Page = { teamMembershipEvents: { nodes: { cursor: string }[] } }

/** Returns the cursor of the last of at most 100 changes of memberships. */
export async function newestCursor(server: GatewayClient): Promise<string> {
  const { body } = await server.graphql<Page>('{ teamMembershipEvents { nodes { cursor } } }')
  return body.data?.teamMembershipEvents.nodes.at(-1)?.cursor ?? ''
}
