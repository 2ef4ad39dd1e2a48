export const graphqlPath = '/graphql'

export function isGraphqlUrl(url: string): boolean {
  return url === graphqlPath || url.startsWith(`${graphqlPath}?`)
}
