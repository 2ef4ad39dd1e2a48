import { type ExecutionResult, execute, type GraphQLSchema, OperationTypeNode, subscribe } from 'graphql'
import type { RequestContext } from '../context.ts'
import { RostrumError } from '../errors.ts'
import { createAdmission, type OperationRequest, type Refusal } from './admit-operation.ts'
import { bytesOfDocument, describeOperation, type PreparedOperation } from './document-cache.ts'
import { bytesOfVariables, keepDeclared } from './kept-variables.ts'
import { maskGraphqlError } from './mask-graphql-error.ts'
import { maskResult, maskStream } from './mask-result.ts'
import { executePlan } from './plan/execute-plan.ts'
import { createPlanCache } from './plan/plan-cache.ts'

export interface Answer {
  /** Null for an operation that was executed, whatever its resolvers did. */
  readonly refusedBy: Refusal | null
  /** Errors are masked. */
  readonly result: ExecutionResult
  /** For the log: type and name of the operation, as far as they are known. */
  readonly operation: string
}

/** What a subscription answers. */
export interface ResultStream {
  /** Errors are masked. It never throws: a failure is its last result. */
  readonly results: AsyncGenerator<ExecutionResult, void>
  readonly operation: string
}

export interface Engine {
  /** Parses, bounds, validates and executes; never rejects, since every failure is in the answer. Refuses subscriptions. */
  execute(request: OperationRequest, context: RequestContext): Answer | Promise<Answer>
  /**
   * The same for whoever can take a stream: one of results for a subscription, one answer for anything else. `holdMemory` is told
   * what a stream will keep for as long as it lasts, in bytes, before it begins; it throws where there is no room.
   */
  subscribe(
    request: OperationRequest,
    context: RequestContext,
    holdMemory: (bytes: number) => void,
  ): Promise<Answer | ResultStream>
}

/** The one engine that every way in goes through (design: "The idea in one paragraph"). */
export function createEngine({ schema }: { readonly schema: GraphQLSchema }): Engine {
  const admit = createAdmission(schema)
  const findPlan = createPlanCache(schema)

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
    // Each of them may repeat a value of the caller whole.
    options: { maxCoercionErrors: 10 },
  })

  const engine: Engine = {
    execute(request, context) {
      const admission = admit(request)
      if (admission.kind === 'refused') return toRefusal(admission, context)
      const { prepared } = admission
      const plan = findPlan(prepared)
      const planned = plan === null ? null : executePlan(plan, context, request.variables ?? {})
      if (planned === null && isSubscription(prepared)) return toRefusal(noStream(prepared), context)
      const result = planned ?? execute(toArguments(prepared, request, context))
      const finish = (done: ExecutionResult) => toAnswer(done, prepared, context)
      return result instanceof Promise ? result.then(finish) : finish(result as ExecutionResult)
    },

    async subscribe(request, context, holdMemory) {
      const admission = admit(request)
      if (admission.kind === 'refused') return toRefusal(admission, context)
      const { prepared } = admission
      if (!isSubscription(prepared)) return engine.execute(request, context)
      const variables = keepDeclared(prepared, request.variables)
      try {
        holdMemory(bytesOfDocument(prepared.document) + bytesOfVariables(variables))
      } catch (error) {
        return toRefusal(
          { kind: 'refused', by: 'source', errors: [error], operation: prepared.node },
          context,
        )
      }
      const { operationName } = request
      const followed = await subscribe(toArguments(prepared, { operationName, variables }, context))
      const { description } = prepared
      if (Symbol.asyncIterator in followed) {
        return { results: maskStream(followed, context), operation: description }
      }
      return { refusedBy: 'source', result: maskResult(followed, context), operation: description }
    },
  }
  return engine
}

type Refused = Extract<ReturnType<ReturnType<typeof createAdmission>>, { readonly kind: 'refused' }>

function toRefusal({ by, errors, operation }: Refused, context: RequestContext): Answer {
  const result = { errors: errors.map(error => maskGraphqlError(error, context)) }
  return { refusedBy: by, result, operation: describeOperation(operation) }
}

function isSubscription({ node }: PreparedOperation): boolean {
  return node?.operation === OperationTypeNode.SUBSCRIPTION
}

function noStream({ node }: PreparedOperation): Refused {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'A subscription is answered as a stream only: send it to `/graphql` with `Accept: text/event-stream`.',
  )
  return { kind: 'refused', by: 'no stream', errors: [error], operation: node }
}

// Without `data` nothing ran: variables that do not fit, or no such operation.
function toAnswer(
  result: ExecutionResult,
  { description }: PreparedOperation,
  context: RequestContext,
): Answer {
  const refusedBy = 'data' in result ? null : 'document'
  return { refusedBy, result: maskResult(result, context), operation: description }
}
