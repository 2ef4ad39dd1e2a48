import type { ExecutionResult, GraphQLError } from 'graphql'
import type { RequestContext } from '../../context.ts'
import { type Execution, isPromise } from './call-resolver.ts'
import { cannotCoerce } from './coerce-variables.ts'
import { CollectedErrors } from './collected-errors.ts'
import type { OperationPlan } from './compile-operation.ts'
import { type Data, executeField, executeFields } from './execute-fields.ts'
import type { Values } from './read-arguments.ts'

/**
 * Executes a plan with the same values and the same errors in the same order as graphql-js. Returns null without
 * executing anything if graphql-js must check the variables. `rootValue` is the event of a subscription.
 */
export function executePlan(
  plan: OperationPlan,
  context: RequestContext,
  given: Values,
  rootValue?: unknown,
): ExecutionResult | Promise<ExecutionResult> | null {
  const variables = plan.coerceVariables(given)
  if (variables === cannotCoerce) return null
  const collected = new CollectedErrors()
  const execution = { plan, context, variables, collected, pace: context.pace }
  const fail = (error: unknown) => {
    collected.add(error as GraphQLError, undefined)
    return toResult(null, collected)
  }
  try {
    const isSerial = plan.operation.operation === 'mutation'
    const data = isSerial
      ? executeInTurn(execution)
      : executeFields(execution, plan.root, rootValue, undefined)
    return isPromise(data)
      ? data.then(resolved => toResult(resolved as Data, collected), fail)
      : toResult(data as Data, collected)
  } catch (error) {
    return fail(error)
  }
}

function toResult(data: Data | null, { errors }: CollectedErrors): ExecutionResult {
  return errors.length === 0 ? { data } : { errors, data }
}

// Executes the fields of a mutation one after the other. Each waits for the whole selection of the one before.
async function executeInTurn(execution: Execution): Promise<Data> {
  const data: Data = {}
  for (const field of execution.plan.root.fields) {
    const value = executeField(execution, field, undefined, undefined)
    data[field.key] = isPromise(value) ? await value : value
  }
  return data
}
