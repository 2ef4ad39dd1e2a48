import { type ExecutionResult, execute, type GraphQLSchema, type OperationDefinitionNode } from 'graphql'
import type { RequestContext } from '../context.ts'
import { RostrumError } from '../errors.ts'
import { createAdmission, type OperationRequest, type Refusal } from './admit-operation.ts'
import { maskError } from './mask-error.ts'
import { maskGraphqlError, toGraphqlError } from './mask-graphql-error.ts'

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
  execute(request: OperationRequest, context: RequestContext): Promise<Answer>
}

/** The one engine that every way in goes through (design: "The idea in one paragraph"). */
export function createEngine({ schema }: { readonly schema: GraphQLSchema }): Engine {
  const admit = createAdmission(schema)
  return {
    async execute(request, context) {
      const admission = admit(request)
      const operation = describe(admission.operation)
      if (admission.kind === 'refused') {
        const result = { errors: admission.errors.map(error => maskGraphqlError(error, context)) }
        return { refusedBy: admission.by, result, operation }
      }
      const result = await execute({
        schema,
        document: admission.document,
        contextValue: context,
        variableValues: request.variables ?? {},
        operationName: request.operationName ?? null,
        hideSuggestions: true,
        // Each of them may repeat a value of the caller whole.
        options: { maxCoercionErrors: 10 },
      })
      // Without `data` nothing ran: variables that do not fit, or no such operation.
      return { refusedBy: 'data' in result ? null : 'document', result: mask(result, context), operation }
    },
  }
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

function describe(operation: OperationDefinitionNode | null): string {
  if (operation === null) return 'graphql'
  const name = operation.name?.value
  return name === undefined ? operation.operation : `${operation.operation} ${name.slice(0, 100)}`
}
