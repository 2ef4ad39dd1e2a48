import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getVariableValues,
  OperationTypeNode,
} from 'graphql'
import type { RequestContext } from '../context.ts'
import { type Place, Places } from '../fairness/places.ts'
import { beginOperationSpan } from '../tracing/request-spans.ts'
import {
  type AcceptedOperation,
  createOperationCheck,
  type OperationRequest,
  type Refusal,
  type RefusedOperation,
} from './bounds/check-operation.ts'
import type { Variables } from './bounds/read-argument.ts'
import { bytesOfDocument, describeOperation, type PreparedOperation } from './document-cache.ts'
import { createEventStream, createSharedResults, type EventStream } from './event-stream.ts'
import { isRefusedForScope } from './is-refused-for-scope.ts'
import { type MaskedResult, maskResult } from './mask-result.ts'
import { bytesOfVariables, pickDeclared } from './pick-declared.ts'
import type { OperationPlan } from './plan/compile-operation.ts'
import { executePlan } from './plan/execute-plan.ts'
import { createPlanCache } from './plan/plan-cache.ts'
import { planLargeOperation } from './plan/plan-large-operation.ts'
import { noStream, onlyQueries, refuse, unplannable } from './refused-operations.ts'

// Maximum number of large operations of an account that are executed at once. A mutation may wait for runs, of which an
// account may have 64 waiting and several running.
const maxLarge = { query: 1, mutation: 100 }

// True if a large operation must wait for its account's place. A mutation that a running script calls does not wait,
// because the request that runs the script may hold the last place, and both would wait forever.
function mustWait(prepared: PreparedOperation, { parentRun }: RequestContext): boolean {
  return !isMutation(prepared) || parentRun === null
}

/** An answer with masked errors. */
export interface Answer extends MaskedResult {
  /** Null if the operation was executed, even if resolvers failed. */
  readonly refusedBy: Refusal | null
  /** Type and name of the operation, as far as they are known, for the log. */
  readonly operation: string
}

export interface Engine {
  /** True if the operation is a subscription in a valid document. */
  isSubscription(request: Pick<OperationRequest, 'query' | 'operationName'>): boolean
  /** Returns the type of an operation; null if the document cannot be parsed or has no such operation. */
  findType(request: Pick<OperationRequest, 'query' | 'operationName'>): `${OperationTypeNode}` | null
  /** Names of the mutations that start a run. */
  readonly runFields: ReadonlySet<string>
  /**
   * Parses, bounds, validates and executes an operation. Never rejects: every failure is in the answer. Refuses
   * subscriptions.
   */
  execute(request: OperationRequest, context: RequestContext): Answer | Promise<Answer>
  /**
   * Executes an operation for callers that accept a stream: returns events for a subscription, one answer otherwise. It
   * calls `reserveMemory` with the bytes that the stream needs until it ends, which throws if the account has no more.
   */
  subscribe(
    request: OperationRequest,
    context: RequestContext,
    reserveMemory: (bytes: number) => void,
  ): Promise<Answer | EventStream>
}

/** The engine that executes every GraphQL request, REST request and `graphql()` call of a script. */
export function createEngine({ schema }: { readonly schema: GraphQLSchema }): Engine {
  const check = createOperationCheck(schema)
  const findPlan = createPlanCache(schema)
  const shared = createSharedResults()
  const largeQueries = new Places({ each: maxLarge.query })
  const largeMutations = new Places({ each: maxLarge.mutation })

  // Plans one execution. Returns null if the operation cannot be planned.
  function planOnce({ document, node }: PreparedOperation, variables: Variables): OperationPlan | null {
    return node === null ? null : planLargeOperation({ schema, document, operation: node, variables })
  }

  // True if graphql-js accepts the variables. It refuses wrong ones before it executes anything.
  function areValid({ node }: PreparedOperation, variables: Variables): boolean {
    return !(
      'errors' in getVariableValues(schema, node?.variableDefinitions ?? [], variables, { maxErrors: 1 })
    )
  }

  const toArguments = (
    { document }: PreparedOperation,
    { variables, operationName }: Omit<OperationRequest, 'query'>,
    context: RequestContext,
  ) => ({
    schema,
    document,
    contextValue: context,
    variableValues: variables ?? {},
    operationName: operationName ?? null,
    hideSuggestions: true,
    // Limits the errors in variables, because each may repeat a value of the caller in full.
    options: { maxCoercionErrors: 10 },
  })

  // Executes a large operation once its account has a place. The places limit how many answers of megabytes are in
  // memory at once.
  async function executeLarge(
    prepared: PreparedOperation,
    request: OperationRequest,
    context: RequestContext,
  ): Promise<Answer> {
    const places = isMutation(prepared) ? largeMutations : largeQueries
    let place: Place | null = null
    try {
      if (mustWait(prepared, context)) {
        place = await places.take(context.caller.accountCode, () => ({ signal: context.signal }))
      }
      context.signal.throwIfAborted()
    } catch (error) {
      place?.leave()
      return toRefusal(refuse(prepared, 'gone', error), context)
    }
    try {
      return await executeInPieces(prepared, request, context)
    } catch (error) {
      return toRefusal(refuse(prepared, 'fault', error), context)
    } finally {
      place?.leave()
    }
  }

  async function executeInPieces(
    prepared: PreparedOperation,
    request: OperationRequest,
    context: RequestContext,
  ): Promise<Answer> {
    const variables = request.variables ?? {}
    const plan = findPlan(prepared, true) ?? planOnce(prepared, variables)
    const planned = plan === null ? null : executePlan(plan, context, variables)
    // An operation with wrong variables is executed without a plan, which refuses them.
    if (planned === null && areValid(prepared, variables)) return toRefusal(unplannable(prepared), context)
    const done = await (planned ?? execute(toArguments(prepared, request, context)))
    return toAnswer(done, { prepared, request, context })
  }

  // Turns a result into an answer. A result without `data` was refused: the variables are wrong or the operation does
  // not exist.
  function toAnswer(done: ExecutionResult, { prepared, request, context }: Executed): Answer {
    const masked = maskResult(done, context)
    const { description } = prepared
    if (!('data' in done)) return { refusedBy: 'document', ...masked, operation: description }
    if (done.errors === undefined) return { refusedBy: null, ...masked, operation: description }
    const { caller } = context
    const variables = request.variables ?? {}
    const isRefused = isRefusedForScope({ schema, operation: prepared, variables, caller, ...masked })
    return { refusedBy: isRefused ? 'scope' : null, ...masked, operation: description }
  }

  function executeChecked(
    { prepared, isLarge }: AcceptedOperation,
    request: OperationRequest,
    context: RequestContext,
  ): Answer | Promise<Answer> {
    const finish = (done: ExecutionResult) => toAnswer(done, { prepared, request, context })
    if (isLarge) return executeLarge(prepared, request, context)
    const plan = findPlan(prepared)
    const planned = plan === null ? null : executePlan(plan, context, request.variables ?? {})
    const result = planned ?? execute(toArguments(prepared, request, context))
    return result instanceof Promise ? result.then(finish) : finish(result as ExecutionResult)
  }

  // What the operation starts has its span as its parent.
  function executeTraced(
    accepted: AcceptedOperation,
    request: OperationRequest,
    context: RequestContext,
  ): Answer | Promise<Answer> {
    const { span } = context
    const { node } = accepted.prepared
    const own = span === null || node === null ? null : beginOperationSpan(span, node)
    context.span = own ?? span
    const end = () => {
      context.span = span
      own?.end()
    }
    return withEnd(() => executeChecked(accepted, request, context), end)
  }

  const engine: Engine = {
    isSubscription({ query, operationName }) {
      const checked = check({ query, operationName, variables: null })
      return checked.kind === 'accepted' && isSubscription(checked.prepared)
    },
    findType({ query, operationName }) {
      const checked = check({ query, operationName, variables: null })
      const node = checked.kind === 'accepted' ? checked.prepared.node : checked.operation
      return node?.operation ?? null
    },
    runFields: findRunFields(schema),

    execute(request, context) {
      const checked = check(request)
      if (checked.kind === 'refused') {
        const { operation } = checked
        const isTraced = operation !== null && operation.operation !== OperationTypeNode.SUBSCRIPTION
        if (context.span !== null && isTraced) beginOperationSpan(context.span, operation).end()
        return toRefusal(checked, context)
      }
      const { prepared } = checked
      if (isSubscription(prepared)) return toRefusal(noStream(prepared), context)
      if (context.parentRun?.dryRun && isMutation(prepared)) return toRefusal(onlyQueries(prepared), context)
      if (context.span !== null) return executeTraced(checked, request, context)
      return executeChecked(checked, request, context)
    },

    async subscribe(request, context, reserveMemory) {
      const checked = check(request)
      if (checked.kind === 'refused') return toRefusal(checked, context)
      const { prepared } = checked
      if (!isSubscription(prepared)) return engine.execute(request, context)
      const variables = pickDeclared(prepared, request.variables)
      try {
        reserveMemory(bytesOfDocument(prepared.document) + bytesOfVariables(variables))
      } catch (error) {
        return toRefusal(refuse(prepared, 'source', error), context)
      }
      const declared = { ...request, variables }
      const args = toArguments(prepared, declared, context)
      const followed = await createSourceEventStream(args)
      if (Symbol.asyncIterator in followed) {
        const events = followed[Symbol.asyncIterator]() as AsyncIterator<unknown, void>
        return createEventStream({ events, args, request: declared, context, prepared, findPlan, shared })
      }
      return { refusedBy: 'source', ...maskResult(followed, context), operation: prepared.description }
    },
  }
  return engine
}

/**
 * Returns the names of the mutations that start a run of their own, marked by `extensions.startsRun`. If the gateway
 * dies, nobody knows the outcome of such a run. A save that runs hooks is not marked: it can be repeated, because
 * nothing was stored (contract, section 7).
 */
export function findRunFields(schema: GraphQLSchema): ReadonlySet<string> {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {})
  return new Set(fields.filter(({ extensions }) => extensions.startsRun === true).map(({ name }) => name))
}

interface Executed {
  readonly prepared: PreparedOperation
  readonly request: OperationRequest
  readonly context: RequestContext
}

function toRefusal({ by, errors, operation }: RefusedOperation, context: RequestContext): Answer {
  return { refusedBy: by, ...maskResult({ errors }, context), operation: describeOperation(operation) }
}

function isSubscription({ node }: PreparedOperation): boolean {
  return node?.operation === OperationTypeNode.SUBSCRIPTION
}

function isMutation({ node }: PreparedOperation): boolean {
  return node?.operation === OperationTypeNode.MUTATION
}

// Calls `end` once the answer is there. An answer that needs no wait is returned without one.
function withEnd(execute: () => Answer | Promise<Answer>, end: () => void): Answer | Promise<Answer> {
  let answer: Answer | Promise<Answer>
  try {
    answer = execute()
  } catch (error) {
    end()
    throw error
  }
  if (answer instanceof Promise) return answer.finally(end)
  end()
  return answer
}
