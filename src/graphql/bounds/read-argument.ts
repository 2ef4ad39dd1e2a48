import { type FieldNode, Kind, type OperationDefinitionNode, type ValueNode } from 'graphql'

export type Variables = Readonly<Record<string, unknown>>

interface ArgumentRequest {
  readonly node: FieldNode
  readonly name: string
  readonly operation: OperationDefinitionNode
  readonly variables: Variables
}

/**
 * What a field is given for an argument, as far as a price needs it: an array for a list (its items unread), a number for
 * an integer, undefined where nothing usable is given. Works on documents that validation has not seen.
 */
export function readArgument({ node, name, operation, variables }: ArgumentRequest): unknown {
  const value = node.arguments?.find(argument => argument.name.value === name)?.value
  if (value?.kind !== Kind.VARIABLE) return readValue(value)
  const variable = value.name.value
  if (Object.hasOwn(variables, variable)) return variables[variable] ?? undefined
  const definition = operation.variableDefinitions?.find(({ variable: { name } }) => name.value === variable)
  return readValue(definition?.defaultValue)
}

/** Items that the value makes when coerced to a list. */
export function countItems(value: unknown): number {
  return Array.isArray(value) ? value.length : 1
}

function readValue(value: ValueNode | undefined): unknown {
  if (value?.kind === Kind.LIST) return value.values
  if (value?.kind === Kind.INT) return Number(value.value)
  return undefined
}
