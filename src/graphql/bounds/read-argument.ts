import { type FieldNode, Kind, type OperationDefinitionNode, type ValueNode } from 'graphql'

export type Variables = Readonly<Record<string, unknown>>

interface ArgumentRequest {
  readonly node: FieldNode
  readonly name: string
  readonly operation: OperationDefinitionNode
  readonly variables: Variables
}

/**
 * Reads an argument of a field as far as pricing needs it: an array for a list (items unread), a number for an integer,
 * a string, otherwise undefined. The document may be invalid.
 */
export function readArgument({ node, name, operation, variables }: ArgumentRequest): unknown {
  const value = node.arguments?.find(argument => argument.name.value === name)?.value
  if (value?.kind !== Kind.VARIABLE) return readValue(value)
  const variable = value.name.value
  if (Object.hasOwn(variables, variable)) return variables[variable] ?? undefined
  const definition = operation.variableDefinitions?.find(({ variable: { name } }) => name.value === variable)
  return readValue(definition?.defaultValue)
}

/**
 * Returns the names of members that an input object may have, without members that are null. Of a variable it returns
 * at most two, because more do not change the price. A value that is no object has none; graphql-js refuses it later.
 */
export function readMembers({ node, name, operation, variables }: ArgumentRequest): readonly string[] {
  const value = node.arguments?.find(argument => argument.name.value === name)?.value
  if (value?.kind !== Kind.VARIABLE) return namesOf(value)
  const variable = value.name.value
  const given = Object.hasOwn(variables, variable) ? variables[variable] : undefined
  if (given !== undefined) return firstNamesOf(given)
  const definition = operation.variableDefinitions?.find(({ variable: { name } }) => name.value === variable)
  return namesOf(definition?.defaultValue)
}

// Pricing calls this for each field, so it visits neither the characters of a text nor more members than it needs.
function firstNamesOf(value: unknown): readonly string[] {
  const names: string[] = []
  if (typeof value !== 'object' || value === null) return names
  const members = value as Variables
  for (const name in members) {
    if (members[name] !== null) names.push(name)
    if (names.length === 2) break
  }
  return names
}

function namesOf(value: ValueNode | undefined): readonly string[] {
  if (value?.kind !== Kind.OBJECT) return []
  return value.fields.flatMap(({ name, value }) => (value.kind === Kind.NULL ? [] : name.value))
}

/** Returns the number of items that a value has once it is coerced to a list. */
export function countItems(value: unknown): number {
  return Array.isArray(value) ? value.length : 1
}

function readValue(value: ValueNode | undefined): unknown {
  if (value?.kind === Kind.LIST) return value.values
  if (value?.kind === Kind.STRING) return value.value
  if (value?.kind === Kind.INT) return Number(value.value)
  return undefined
}
