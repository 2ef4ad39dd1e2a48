import { findOperation, findUndocumented } from '../../openapi/document.ts'

/** One HTTP answer, read to its end. `body` is the parsed JSON, undefined where the answer is not JSON. */
export interface Answer<T = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: T
}

export interface RequestParts {
  readonly url: string
  readonly method: string
  /** Null sends no credential. */
  readonly token: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is when a string, else as JSON. */
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/** Sends one request over real HTTP; the caller says which shape it expects the JSON to have. */
export async function sendRequest<T = unknown>(parts: RequestParts): Promise<Answer<T>> {
  const headers = new Headers()
  if (parts.token !== null) headers.set('authorization', `Bearer ${parts.token}`)
  if (parts.body !== undefined) headers.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(parts.headers ?? {})) headers.set(name, value)
  const response = await fetch(parts.url, {
    method: parts.method,
    headers,
    redirect: 'manual',
    ...(parts.body === undefined
      ? {}
      : { body: typeof parts.body === 'string' ? parts.body : JSON.stringify(parts.body) }),
    ...(parts.signal === undefined ? {} : { signal: parts.signal }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parseJson(text) as T }
}

/** Sends a request to a gateway. Throws for an answer that the OpenAPI document does not have. */
export async function sendToGateway<T = unknown>(parts: RequestParts): Promise<Answer<T>> {
  const answer = await sendRequest<T>(parts)
  const operation = findOperation(parts.method, new URL(parts.url).pathname)
  const misfit = operation === null ? null : findUndocumented(operation, answer)
  if (misfit !== null) throw new Error(misfit)
  return answer
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
