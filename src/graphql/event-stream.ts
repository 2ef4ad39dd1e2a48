import { hash } from 'node:crypto'
import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { EventPlace, RequestContext } from '../context.ts'
import { RostrumError } from '../errors.ts'
import { writeJson } from '../json/json-text.ts'
import type { OperationRequest } from './bounds/check-operation.ts'
import type { PreparedOperation } from './document-cache.ts'
import { maskResult, toGraphqlError } from './mask-result.ts'
import { executePlan } from './plan/execute-plan.ts'
import type { FindPlan } from './plan/plan-cache.ts'

/** The answer to a subscription: its events, and functions that write each event for the client. */
export interface EventStream {
  /** The events. Its `next` rejects with the error that ends the stream. */
  readonly events: AsyncIterator<unknown, void>
  /** Returns the result of an event as JSON, with masked errors; null if the store could not answer. Never throws. */
  readonly write: (event: unknown) => string | null | Promise<string | null>
  /** Returns the last result of the stream as JSON, for an error that `events` threw. */
  readonly writeFailure: (error: unknown) => string
  /** Type and name of the operation, for the log. */
  readonly operation: string
}

/**
 * Maximum bytes of one result. Only long texts that come from a credential make a result that long, because the bound
 * `eventCost` is low.
 */
const maxResultBytes = 2 ** 16

// Maximum bytes of cached results. A slow stream finds the results there that a faster stream has computed.
const maxSharedBytes = 8 * 2 ** 20

/** An LRU cache of results. The key is the event's place and change, and the digest of request and caller. */
export type SharedResults = LRUCache<string, string>

export function createSharedResults(): SharedResults {
  return new LRUCache({
    maxSize: maxSharedBytes,
    sizeCalculation: (text, key) => 2 * (text.length + key.length) + 100,
  })
}

interface FollowedEvent {
  readonly sequence: number
  /** The change that wrote the event. An older copy of the store gives its sequence to another one. */
  readonly transactionId?: string
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

/** Executes the operation once for each event. Streams with the same request and the same rights share the result. */
export function createEventStream(following: Following): EventStream {
  const { events, args, request, context, prepared, findPlan, shared } = following
  const operation = prepared.description
  const digest = digestRequest(request, context)

  function finish(result: ExecutionResult, event: FollowedEvent, key: string): string | null {
    const answer = maskResult(result, context)
    if (answer.failures.some(({ code }) => code === 'UNAVAILABLE')) return null
    const text = writeJson(answer.result)
    if (text.length * 3 > maxResultBytes && Buffer.byteLength(text) > maxResultBytes) {
      const error = tooLong(context.placeOf?.(event as never))
      return JSON.stringify({ errors: [toGraphqlError(error)], data: null })
    }
    // Results with errors are not shared, because they may contain the request id.
    if (result.errors === undefined) shared.set(key, text)
    return text
  }

  return {
    events,
    operation,
    write(event) {
      const followed = event as FollowedEvent
      const key = `${followed.sequence} ${followed.transactionId ?? ''} ${digest}`
      const known = shared.get(key)
      if (known !== undefined) return known
      context.beginAnswer()
      const plan = findPlan(prepared)
      const planned = plan === null ? null : executePlan(plan, context, args.variableValues ?? {}, event)
      const result = planned ?? execute({ ...args, rootValue: event })
      return result instanceof Promise
        ? result.then(done => finish(done, followed, key))
        : finish(result as ExecutionResult, followed, key)
    },
    writeFailure: error => JSON.stringify(maskResult({ errors: [error] }, context).result),
  }
}

function tooLong(place: EventPlace | undefined): RostrumError {
  const isRun = place !== undefined && 'runId' in place
  const advice = isRun
    ? 'Read the run by its `runId`, or select less of it. Later runs follow.'
    : 'Read the event by a query, or select less of it. Later events follow; their stream can begin after its ' +
      '`cursor`.'
  return new RostrumError(
    'BAD_USER_INPUT',
    `The result of an event can have at most ${maxResultBytes} bytes. This one has more and is left out. ${advice}`,
    { facts: { bound: 'eventBytes', most: maxResultBytes, ...place } },
  )
}

// Returns a digest of the request, the caller and the caller's rights, so that only equal streams share results.
function digestRequest({ query, variables, operationName }: OperationRequest, context: RequestContext) {
  const { caller, parentRun } = context
  const who = { ...caller, scopes: [...caller.scopes].sort(), run: parentRun?.id ?? null }
  const parts = [query, variables ?? {}, operationName ?? null, who]
  return hash('sha256', JSON.stringify(parts), 'base64')
}
