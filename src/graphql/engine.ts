import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getVariableValues,
  OperationTypeNode,
} from 'graphql'
import type { RequestContext } from '../context.ts'
import { RostrumError } from '../errors.ts'
import { createAdmission, type OperationRequest, type Refusal } from './bounds/admit-operation.ts'
import type { Variables } from './bounds/read-argument.ts'
import { bytesOfDocument, describeOperation, type PreparedOperation } from './document-cache.ts'
import { createEventStream, createSharedResults, type EventStream } from './event-stream.ts'
import { bytesOfVariables, keepDeclared } from './kept-variables.ts'
import { type MaskedResult, maskResult } from './mask-result.ts'
import type { OperationPlan } from './plan/compile-operation.ts'
import { executePlan } from './plan/execute-plan.ts'
import { createPlanCache } from './plan/plan-cache.ts'
import { planLargeOperation } from './plan/plan-large-operation.ts'

/** Its errors are masked. */
export interface Answer extends MaskedResult {
  /** Null for an operation that was executed, whatever its resolvers did. */
  readonly refusedBy: Refusal | null
  /** For the log: type and name of the operation, as far as they are known. */
  readonly operation: string
}

export interface Engine {
  /** Parses, bounds, validates and executes; never rejects, since every failure is in the answer. Refuses subscriptions. */
  execute(request: OperationRequest, context: RequestContext): Answer | Promise<Answer>
  /**
   * The same for whoever can take a stream: one of events for a subscription, one answer for anything else. `holdMemory` is told
   * what a stream will keep for as long as it lasts, in bytes, before it begins; it throws where there is no room.
   */
  subscribe(
    request: OperationRequest,
    context: RequestContext,
    holdMemory: (bytes: number) => void,
  ): Promise<Answer | EventStream>
}

/** The one engine that every way in goes through (design: "The idea in one paragraph"). */
export function createEngine({ schema }: { readonly schema: GraphQLSchema }): Engine {
  const admit = createAdmission(schema)
  const findPlan = createPlanCache(schema)
  const shared = createSharedResults()

  // Null where the operation has none at all.
  function planOnce({ document, node }: PreparedOperation, variables: Variables): OperationPlan | null {
    return node === null ? null : planLargeOperation({ schema, document, operation: node, variables })
  }

  // What does not fit is graphql-js's to refuse, before it executes anything.
  function doFit({ node }: PreparedOperation, variables: Variables): boolean {
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
    // Each of them may repeat a value of the caller whole.
    options: { maxCoercionErrors: 10 },
  })

  const engine: Engine = {
    execute(request, context) {
      const admission = admit(request)
      if (admission.kind === 'refused') return toRefusal(admission, context)
      const { prepared, isLarge } = admission
      if (isSubscription(prepared)) return toRefusal(noStream(prepared), context)
      const variables = request.variables ?? {}
      const plan = findPlan(prepared, isLarge) ?? (isLarge ? planOnce(prepared, variables) : null)
      const planned = plan === null ? null : executePlan(plan, context, variables)
      if (planned === null && isLarge && doFit(prepared, variables))
        return toRefusal(unplannable(prepared), context)
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
      const kept = { ...request, variables }
      const args = toArguments(prepared, kept, context)
      const followed = await createSourceEventStream(args)
      if (Symbol.asyncIterator in followed) {
        const events = followed[Symbol.asyncIterator]() as AsyncIterator<unknown, void>
        return createEventStream({ events, args, request: kept, context, prepared, findPlan, shared })
      }
      return { refusedBy: 'source', ...maskResult(followed, context), operation: prepared.description }
    },
  }
  return engine
}

type Refused = Extract<ReturnType<ReturnType<typeof createAdmission>>, { readonly kind: 'refused' }>

function toRefusal({ by, errors, operation }: Refused, context: RequestContext): Answer {
  return { refusedBy: by, ...maskResult({ errors }, context), operation: describeOperation(operation) }
}

function isSubscription({ node }: PreparedOperation): boolean {
  return node?.operation === OperationTypeNode.SUBSCRIPTION
}

function unplannable({ node }: PreparedOperation): Refused {
  const error = new RostrumError(
    'BAD_USER_INPUT',
    'An operation of more than 10,000 fields must not select introspection, give a variable a list as its default, or spread its fragments into more than 5,000 fields; split it.',
    { facts: { bound: 'cost' } },
  )
  return { kind: 'refused', by: 'bounds', errors: [error], operation: node }
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
  return { refusedBy, ...maskResult(result, context), operation: description }
}
