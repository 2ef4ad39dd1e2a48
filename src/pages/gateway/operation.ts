import { GatewayError, unreachable } from './gateway-error.ts'
import { sendRequest } from './send-request.ts'
import { currentSession } from './session.ts'

/** A GraphQL document with the types of its data and variables. */
export interface Operation<Data, Variables> {
  readonly text: string
  /** They exist for the compiler only. */
  readonly types?: (variables: Variables) => Data
}

interface Answer<Data> {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string; readonly reason?: string; readonly bound?: string }
  }[]
}

interface AskOptions {
  readonly token?: string
  readonly signal?: AbortSignal
  /** The `Idempotency-Key` of a mutation. */
  readonly key?: string
}

/** Declares a GraphQL document. A test validates each of them against `schema.graphql`. */
export function operation<Data, Variables extends object = Record<never, never>>(
  text: string,
): Operation<Data, Variables> {
  return { text }
}

/** Executes a document with the token of the tab and returns its data. Throws a `GatewayError` for the first error. */
export async function ask<Data, Variables extends object>(
  { text }: Operation<Data, Variables>,
  variables: Variables,
  { token = currentSession().token, ...options }: AskOptions = {},
): Promise<Data> {
  const body = { query: text, variables }
  const answer = await sendRequest('/graphql', { token, body, accept: 'application/json', ...options })
  const { status } = answer
  const { data, errors } = (await readJson(answer, options.signal)) as Answer<Data>
  const [first] = errors ?? []
  if (first !== undefined) {
    const { code = 'UNKNOWN', reason, bound } = first.extensions ?? {}
    throw new GatewayError(first.message, { code, status, reason, bound })
  }
  if (data === null || data === undefined)
    throw new GatewayError(`The gateway answered with status ${status}.`, { code: 'UNKNOWN', status })
  return data
}

async function readJson(answer: Response, signal: AbortSignal | undefined): Promise<object> {
  const text = await answer.text().catch(() => {
    signal?.throwIfAborted()
    throw unreachable()
  })
  try {
    return Object(JSON.parse(text))
  } catch {
    const { status } = answer
    const reason = 'is not JSON, so it does not come from a Rostrum gateway'
    const message = `The answer (status ${status}) ${reason}. Try again later.`
    throw new GatewayError(message, { code: 'UNKNOWN', status })
  }
}
