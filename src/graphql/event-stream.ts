import { createHash } from 'node:crypto'
import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../context.ts'
import type { OperationRequest } from './bounds/admit-operation.ts'
import type { PreparedOperation } from './document-cache.ts'
import { maskGraphqlError } from './mask-graphql-error.ts'
import { maskResult } from './mask-result.ts'
import { executePlan } from './plan/execute-plan.ts'
import type { FindPlan } from './plan/plan-cache.ts'
import { writeAnswer } from './write-answer.ts'

/** What a subscription answers: events as they come, and what each is to its client. */
export interface EventStream {
  /** Throws for what ends the stream. */
  readonly events: AsyncIterator<unknown, void>
  /** The result for an event as JSON, errors masked. It never throws. */
  readonly write: (event: unknown) => string | Promise<string>
  /** The last result, for what `events` has thrown. */
  readonly writeFailure: (error: unknown) => string
  /** For the log: type and name of the operation. */
  readonly operation: string
}

/** Of one result. The bound on the cost of an event keeps it far below, but for texts of the credential. */
const maxResultBytes = 2 ** 16

// For as long as the slowest of those who follow the same needs to come to them.
const maxSharedBytes = 8 * 2 ** 20

/** Results by what decides them and the sequence of their event; least recently used first out. */
export type SharedResults = LRUCache<string, string>

export function createSharedResults(): SharedResults {
  return new LRUCache({
    maxSize: maxSharedBytes,
    sizeCalculation: (text, key) => 2 * (text.length + key.length) + 100,
  })
}

interface Following {
  readonly events: AsyncIterator<unknown, void>
  readonly args: ExecutionArgs
  readonly request: OperationRequest
  readonly context: RequestContext
  readonly prepared: PreparedOperation
  readonly findPlan: FindPlan
  readonly shared: SharedResults
}

/** Executes the operation for each event, once for all streams of an account that ask for the same with the same rights. */
export function createEventStream(following: Following): EventStream {
  const { events, args, request, context, prepared, findPlan, shared } = following
  const operation = prepared.description
  const deciding = digestDeciding(request, context)

  function finish(result: ExecutionResult, key: string): string {
    const answer = { refusedBy: null, result: maskResult(result, context), operation }
    const { text } = writeAnswer(answer, maxResultBytes)
    // An error may name the request.
    if (result.errors === undefined) shared.set(key, text)
    return text
  }

  return {
    events,
    operation,
    write(event) {
      const key = `${(event as { readonly sequence: number }).sequence} ${deciding}`
      const known = shared.get(key)
      if (known !== undefined) return known
      const plan = findPlan(prepared)
      const planned = plan === null ? null : executePlan(plan, context, args.variableValues ?? {}, event)
      const result = planned ?? execute({ ...args, rootValue: event })
      return result instanceof Promise
        ? result.then(done => finish(done, key))
        : finish(result as ExecutionResult, key)
    },
    writeFailure: error => JSON.stringify({ errors: [maskGraphqlError(error, context)] }),
  }
}

// What is asked, and by whom with which rights: nobody gets what another may see.
function digestDeciding({ query, variables, operationName }: OperationRequest, context: RequestContext) {
  const { caller, parentRun } = context
  const who = { ...caller, scopes: [...caller.scopes].sort(), run: parentRun?.id ?? null }
  const parts = [query, variables ?? {}, operationName ?? null, who]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
