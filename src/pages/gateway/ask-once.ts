import { GatewayError } from './gateway-error.ts'
import { ask, type Operation } from './operation.ts'

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
