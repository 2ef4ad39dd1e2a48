import { type ExecutionResult, type GraphQLError, type GraphQLSchema, getVariableValues } from 'graphql'
import type { RequestContext } from '../context.ts'
import { missingScope } from '../schema/scopes/refuse-unreadable.ts'
import type { PreparedOperation } from './document-cache.ts'
import { collectFields, recordFragments } from './plan/collect-fields.ts'
import type { Values } from './plan/read-arguments.ts'

interface Executed {
  readonly schema: GraphQLSchema
  readonly operation: PreparedOperation
  readonly variables: Values
  readonly caller: RequestContext['caller']
  readonly result: ExecutionResult
}

/** True if every root field was refused for a missing scope, so that nothing was read or changed. */
export function isRefusedForScope({ result: { data, errors = [] }, ...executed }: Executed): boolean {
  if (errors.length === 0 || !errors.every(isRefusal)) return false
  if (data == null) return lacksEveryScope(executed)
  const refused = new Set(errors.map(({ path }) => path?.[0]))
  return Object.keys(data).every(key => refused.has(key))
}

function isRefusal({ path, extensions }: GraphQLError): boolean {
  return path?.length === 1 && extensions.code === 'FORBIDDEN'
}

// Asks for the scopes of the root fields themselves. The refusal of a non-null field removes all others from the
// answer, those that were executed too.
function lacksEveryScope({
  schema,
  operation: { document, node },
  variables,
  caller,
}: Omit<Executed, 'result'>): boolean {
  const type = node === null ? null : schema.getRootType(node.operation)
  if (node === null || type == null) return false
  const fragments = recordFragments(document)
  const { coerced } = getVariableValues(schema, node.variableDefinitions ?? [], variables)
  const fields = collectFields({ schema, fragments, type, sets: [node.selectionSet], variables: coerced })
  return [...fields.values()].every(([{ name }]) => {
    const field = type.getFields()[name.value]
    return field !== undefined && missingScope(caller, field) !== null
  })
}
