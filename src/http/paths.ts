/** The path of deliveries (contract, section 8). */
export const webhookPath = '/api/1/webhook/:account_nickname/:name'

export const graphqlPath = '/graphql'

export function isGraphqlUrl(url: string): boolean {
  return url === graphqlPath || url.startsWith(`${graphqlPath}?`)
}
