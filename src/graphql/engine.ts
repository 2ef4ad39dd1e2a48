import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import type { RequestContext } from '../context.ts'
import { RostrumError } from '../errors.ts'
import { createAdmission, type OperationRequest, type Refusal } from './admit-operation.ts'
import { describeOperation, type PreparedOperation } from './document-cache.ts'
import { maskError } from './mask-error.ts'
import { maskGraphqlError, toGraphqlError } from './mask-graphql-error.ts'
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

export interface Engine {
  /** Parses, bounds, validates and executes; never rejects, since every failure is in the answer. */
  execute(request: OperationRequest, context: RequestContext): Answer | Promise<Answer>
}

/** The one engine that every way in goes through (design: "The idea in one paragraph"). */
export function createEngine({ schema }: { readonly schema: GraphQLSchema }): Engine {
  const admit = createAdmission(schema)
  const findPlan = createPlanCache(schema)

  function interpret(
    { document }: PreparedOperation,
    { variables, operationName }: OperationRequest,
    context: RequestContext,
  ) {
    return execute({
      schema,
      document,
      contextValue: context,
      variableValues: variables ?? {},
      operationName: operationName ?? null,
      hideSuggestions: true,
      // Each of them may repeat a value of the caller whole.
      options: { maxCoercionErrors: 10 },
    })
  }

  return {
    execute(request, context) {
      const admission = admit(request)
      if (admission.kind === 'refused') {
        const result = { errors: admission.errors.map(error => maskGraphqlError(error, context)) }
        return { refusedBy: admission.by, result, operation: describeOperation(admission.operation) }
      }
      const { prepared } = admission
      const plan = findPlan(prepared)
      const planned = plan === null ? null : executePlan(plan, context, request.variables ?? {})
      const result = planned ?? interpret(prepared, request, context)
      const finish = (done: ExecutionResult) => toAnswer(done, prepared, context)
      return result instanceof Promise ? result.then(finish) : finish(result as ExecutionResult)
    },
  }
}

// Without `data` nothing ran: variables that do not fit, or no such operation.
function toAnswer(
  result: ExecutionResult,
  { description }: PreparedOperation,
  context: RequestContext,
): Answer {
  const refusedBy = 'data' in result ? null : 'document'
  return { refusedBy, result: mask(result, context), operation: description }
}

// One bad argument below a list is an error for each item.
const mostErrors = 100

function mask(result: ExecutionResult, context: RequestContext): ExecutionResult {
  if (result.errors === undefined) return result
  const errors = result.errors.slice(0, mostErrors).map(error => maskGraphqlError(error, context))
  const left = result.errors.length - errors.length
  if (left > 0) errors.push(toGraphqlError(maskError(tooManyErrors(left), context)))
  return { ...result, errors }
}

function tooManyErrors(left: number): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `There are ${left} errors more; only the first ${mostErrors} are told.`,
  )
}
