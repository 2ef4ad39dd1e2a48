import { createHmac, randomUUID } from 'node:crypto'
import type { GatewayClient } from './gateway-client.ts'
import { type Answer, sendToGateway } from './send-request.ts'

export interface SavedWebhook {
  readonly id: string
  readonly path: string
  readonly secret: string
}

export interface WebhookOrder {
  readonly name: string
  readonly sourceCode: string
  readonly verification?: 'STANDARD' | 'GITHUB' | 'SECRET'
  readonly mode?: 'QUEUED' | 'SYNC'
  readonly header?: string
  readonly headers?: readonly string[]
  readonly scopes?: readonly string[]
  /** The sender's own. */
  readonly secret?: string
  readonly token?: string
  readonly account?: string
}

/** Saves a function under the name of the webhook. Gives its id. */
export async function saveFunction(
  server: GatewayClient,
  name: string,
  sourceCode: string,
  token = server.adminToken,
): Promise<string> {
  const { body, text } = await server.graphql<{ saveFunction: { id: string } }>(
    'mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }',
    { input: { name, sourceCode } },
    token,
  )
  if (!body.data?.saveFunction) throw new Error(`No function was saved: ${text}`)
  return body.data.saveFunction.id
}

/** Saves a function, and a webhook of the same name that runs it. `SYNC` and `STANDARD` unless given. */
export async function saveWebhook(server: GatewayClient, order: WebhookOrder): Promise<SavedWebhook> {
  const { sourceCode, token = server.adminToken, account = server.account, ...given } = order
  const functionId = await saveFunction(server, order.name, sourceCode, token)
  const { body, text } = await server.graphql<{ saveWebhook: { secret: string; webhook: { id: string } } }>(
    'mutation ($input: SaveWebhookInput!) { saveWebhook(input: $input) { secret webhook { id } } }',
    { input: { verification: 'STANDARD', mode: 'SYNC', ...given, functionId } },
    token,
  )
  if (!body.data?.saveWebhook) throw new Error(`No webhook was saved: ${text}`)
  const { secret, webhook } = body.data.saveWebhook
  return { id: webhook.id, secret, path: `/api/1/webhook/${account}/${order.name}` }
}

export interface Signed {
  readonly secret: string
  readonly body?: string
  readonly id?: string
  /** In seconds. */
  readonly timestamp?: number
}

/** The headers of a delivery that is signed as Standard Webhooks says. */
export function signStandard({ secret, body = '', id = randomUUID(), timestamp }: Signed) {
  const at = String(timestamp ?? Math.floor(Date.now() / 1_000))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` }
}

/** The same as Svix sends it: with headers of its own names, and base64 of the same bytes. */
export function signSvix(signed: Signed) {
  const headers = Object.entries(signStandard(signed))
  return Object.fromEntries(headers.map(([name, value]) => [name.replace('webhook-', 'svix-'), value]))
}

export function signGithub({ secret, body = '', id = randomUUID() }: Signed) {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  return { 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${signature}` }
}

export interface Delivery {
  readonly body?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a delivery without a credential. */
export function deliver<T = unknown>(
  server: GatewayClient,
  path: string,
  { body = '', type = 'application/json', headers = {} }: Delivery,
): Promise<Answer<T>> {
  const all = { 'content-type': type, ...headers }
  return sendToGateway({ url: server.baseUrl + path, method: 'POST', token: null, headers: all, body })
}
