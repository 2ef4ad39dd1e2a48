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
  try {
    const data = await ask(operation, variables, { key })
    unanswered.delete(request)
    return data
  } catch (error) {
    if (mayBeDone(error)) unanswered.set(request, key)
    else unanswered.delete(request)
    throw error
  }
}

// A proxy answers with any code, and with no JSON, when it has lost the gateway.
function mayBeDone(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false
  return (
    error.status === 0 || error.status >= 500 || ['UNKNOWN', 'INTERNAL', 'UNAVAILABLE'].includes(error.code)
  )
}
