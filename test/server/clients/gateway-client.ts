import type { Scope } from '../../../src/credentials/caller.ts'
import type { TokenOrder } from '../gateways/serve-tokens.ts'
import { type Answer, type RequestParts, sendToGateway } from './send-request.ts'
import type { ExecutionBody, GraphqlBody } from './wire-shapes.ts'

export interface TokenRequest {
  readonly account: string
  readonly email?: string
  readonly user?: number
  /** All but `admin` unless given. */
  readonly scopes?: readonly Scope[]
}

export interface Script {
  readonly sourceCode: string
  readonly name?: string
  readonly inputDocument?: unknown
  readonly options?: unknown
  readonly metadata?: unknown
}

type RestOptions = Partial<Pick<RequestParts, 'token' | 'headers' | 'body' | 'signal'>>

/** Requests to a gateway, as the admin of an account unless another token (or null, for none) is given. */
export interface GatewayClient {
  readonly baseUrl: string
  readonly adminToken: string
  /** The account of the admin's token. */
  readonly account: string
  rest<T>(method: string, path: string, options?: RestOptions): Promise<Answer<T>>
  graphql<D = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    token?: string | null,
  ): Promise<Answer<GraphqlBody<D>>>
  execute<P = unknown>(script: Script | string, options?: RestOptions): Promise<Answer<ExecutionBody<P>>>
  /** A new token in the gateway's store. */
  token(request: TokenRequest): Promise<string>
}

interface GatewayAddress {
  readonly baseUrl: string
  readonly adminToken: string
  /** `demo` unless given. */
  readonly account?: string
  readonly databaseUrl: string
}

export function createGatewayClient(address: GatewayAddress): GatewayClient {
  const { baseUrl, adminToken, account = 'demo', databaseUrl } = address
  const rest: GatewayClient['rest'] = (method, path, options = {}) =>
    sendToGateway({ url: baseUrl + path, method, token: adminToken, ...options })
  return {
    baseUrl,
    adminToken,
    account,
    rest,
    graphql: (query, variables = {}, token = adminToken) =>
      rest('POST', '/graphql', { body: { query, variables }, token }),
    execute: (script, options = {}) =>
      rest('POST', '/api/1/endpoint/execute', { body: completeScript(script), ...options }),
    token: request => askForToken({ databaseUrl, request }),
  }
}

function completeScript(script: Script | string): Script {
  const given = typeof script === 'string' ? { sourceCode: script } : script
  return { name: 'test', inputDocument: '{}', options: '{}', ...given }
}

// Vitest is imported here only, because some programs start servers outside of it.
async function askForToken(order: TokenOrder): Promise<string> {
  const { inject } = await import('vitest')
  const answer = await fetch(inject('tokensUrl'), { method: 'POST', body: JSON.stringify(order) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`No token was issued: ${text}`)
  return text
}
