import { answerInTime } from './answer-in-time.ts'
import { GatewayError, isOfOtherSchema, notOfGateway, readRetryAfter, unreachable } from './gateway-error.ts'
import { sendRequest } from './send-request.ts'
import { currentSession } from './session.ts'

/** A GraphQL document with the types of its data and variables. */
export interface Operation<Data, Variables> {
  readonly text: string
  /** They exist for the compiler only. */
  readonly types?: (variables: Variables) => Data
}

// A test validates every document of the pages against the schema.
const otherVersion = 'The gateway has another version than this page. Reload the page, then try again.'

interface Answer<Data> {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    /** Where in the data; without one, the document or its variables were refused. */
    readonly path?: readonly unknown[]
    readonly extensions?: {
      readonly code?: string
      readonly reason?: string
      readonly bound?: string
      readonly runId?: string
    }
  }[]
}

interface AskOptions {
  readonly token?: string
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
  const request = { token, body: { query: text, variables }, accept: 'application/json', ...options }
  const isChange = text.startsWith('mutation')
  const { status, retryAfterMs, data, errors } = await answerInTime({ isChange }, async signal => {
    const answer = await sendRequest('/graphql', { ...request, signal })
    const body = (await readJson(answer, signal)) as Answer<Data>
    return { status: answer.status, retryAfterMs: readRetryAfter(answer), ...body }
  })
  // A proxy may answer with JSON of its own, whose errors need not be a list.
  const [first] = [errors ?? []].flat()
  if (typeof first?.message === 'string') {
    const { code = 'UNKNOWN', ...facts } = first.extensions ?? {}
    const message = isOfOtherSchema(first) ? otherVersion : first.message
    throw new GatewayError(message, { ...facts, code, status, retryAfterMs })
  }
  if (first !== undefined || data === null || typeof data !== 'object')
    throw notOfGateway({ status, retryAfterMs })
  return data
}

async function readJson(answer: Response, signal: AbortSignal): Promise<object> {
  const text = await answer.text().catch(() => {
    signal.throwIfAborted()
    throw unreachable()
  })
  try {
    return Object(JSON.parse(text))
  } catch {
    const fact = 'is not JSON, so it does not come from a Rostrum gateway'
    throw notOfGateway({ status: answer.status, retryAfterMs: readRetryAfter(answer) }, fact)
  }
}

// Keys of requests that may have been done although no answer of the gateway came, by their text.
const unanswered = new Map<string, string>()

/**
 * Executes a mutation as `ask` does, under an `Idempotency-Key`. If its answer is lost, the same request sent again
 * from this page gets the answer of the first one, and nothing is done twice.
 */
export async function askOnce<Data, Variables extends object>(
  operation: Operation<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const request = JSON.stringify([operation.text, variables])
  const key = unanswered.get(request) ?? crypto.getRandomValues(new Uint8Array(16)).toHex()
  unanswered.set(request, key)
  try {
    const data = await ask(operation, variables, { key })
    unanswered.delete(request)
    return data
  } catch (error) {
    if (isKept(error)) unanswered.delete(request)
    throw explain(error)
  }
}

/** Forgets the lost requests. Call it when the person has removed what they made: the same request makes it again. */
export function forgetUnanswered(): void {
  unanswered.clear()
}

/** Forgets the lost requests with this text, such as a secret that the page must not keep. */
export function forgetSecret(text: string): void {
  const value = `:${JSON.stringify(text)}`
  for (const request of unanswered.keys()) if (request.includes(value)) unanswered.delete(request)
}

const passingStatuses = new Set([401, 403, 406, 429])
// A proxy that has lost the gateway answers with any status and without a code of the gateway.
const passingCodes = new Set(['UNKNOWN', 'INTERNAL', 'UNAVAILABLE', 'OVERLOADED'])

// Returns true if the gateway keeps this error under the key. Any other error, such as a refusal at the rate limit,
// does not say whether an earlier request with the key was done.
function isKept(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.reason === 'RUNNING') return false
  const { status, code } = error
  return status > 0 && status < 500 && !passingStatuses.has(status) && !passingCodes.has(code)
}

// The gateway names the key, which a person never saw.
function explain(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error
  const { code, status, reason } = error
  const again = (message: string) => new GatewayError(message, { code, status, reason })
  if (reason === 'RUNNING')
    return again('This is still being done. Try again in some seconds to see the answer.')
  if (reason === 'UNKNOWN_OUTCOME')
    return again('This began, and may be done already. Look whether it is before you try again.')
  return error
}
