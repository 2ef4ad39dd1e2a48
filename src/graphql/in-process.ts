import type { Refusal } from './admit-operation.ts'
import type { Answer } from './engine.ts'

/** What the `graphql()` of a script gets to see of an answer: a status and a JSON body, as over HTTP. */
export interface InProcessAnswer {
  readonly status: number
  readonly body: unknown
}

/** Errors in the document or in resolvers are 200 with `errors`; what the bounds refuse is 400, and so is a subscription (contract, section 4). */
export function toInProcessAnswer({ refusedBy, result }: Answer): InProcessAnswer {
  const errors = result.errors?.map(error => error.toJSON())
  const body = { ...(errors && { errors }), ...('data' in result && { data: result.data }) }
  return { status: statusOf(refusedBy), body }
}

function statusOf(refusedBy: Refusal | null): number {
  if (refusedBy === 'fault') return 500
  return refusedBy === 'bounds' || refusedBy === 'no stream' ? 400 : 200
}
