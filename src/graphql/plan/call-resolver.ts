import type { GraphQLResolveInfo } from 'graphql'
import type { RequestContext } from '../../context.ts'
import type { Pace } from '../../fairness/pace.ts'
import type { CollectedErrors, Path } from './collected-errors.ts'
import type { FieldPlan, OperationPlan } from './compile-operation.ts'
import type { Values } from './read-arguments.ts'

/** One execution of a plan. */
export interface Execution {
  readonly plan: OperationPlan
  readonly context: RequestContext
  readonly variables: Values
  readonly collected: CollectedErrors
  readonly pace: Pace
}

/** Calls the resolver of a field. */
export function callResolver(
  { plan, context, variables }: Execution,
  field: FieldPlan,
  source: unknown,
  path: Path,
): unknown {
  const given = field.readArguments(variables)
  if (!field.takesInfo) {
    return field.resolve(source, given, context, undefined as unknown as GraphQLResolveInfo)
  }
  return field.resolve(source, given, context, {
    fieldName: field.field.name,
    fieldNodes: field.nodes,
    returnType: field.field.type,
    parentType: field.parentType,
    path,
    schema: plan.schema,
    fragments: plan.fragments,
    rootValue: undefined,
    operation: plan.operation,
    variableValues: variables as { [variable: string]: unknown },
  })
}

/** True for an object with a `then` method, as in graphql-js. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as Promise<unknown>).then === 'function'
}
