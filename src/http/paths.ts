/** The path to which webhook deliveries are sent (contract, section 8). */
export const webhookPath = '/api/1/webhook/:account_nickname/:name'

/** True if a URL is a webhook's, even if it has percent-encoded bytes that cannot be decoded. */
export function isWebhookUrl(url: string): boolean {
  return webhookUrl.test(url)
}

const webhookUrl = new RegExp(`^${webhookPath.replaceAll(/:\w+/g, '[^/?]*')}(\\?|$)`)

export const graphqlPath = '/graphql'

export const metricsPath = '/metrics'

export function isGraphqlUrl(url: string): boolean {
  return url === graphqlPath || url.startsWith(`${graphqlPath}?`)
}

/** Returns the query string of a URL, without its question mark; empty without one. */
export function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}
