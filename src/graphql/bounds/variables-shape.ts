import { Kind, type OperationDefinitionNode, type VariableDefinitionNode } from 'graphql'
import type { Variables } from './read-argument.ts'

/** A declared variable. A `sized` one can change the cost by its value, or by being left out. */
interface DeclaredVariable {
  readonly name: string
  readonly isSized: boolean
}

/** The variables of a valid operation, for `shapeOf`. */
export function declaredVariables({
  variableDefinitions = [],
}: OperationDefinitionNode): readonly DeclaredVariable[] {
  return variableDefinitions.map(definition => ({
    name: definition.variable.name.value,
    isSized: definition.defaultValue !== undefined || isInt(definition),
  }))
}

/**
 * What the cost of an operation depends on: the length of each list, the value of each `Int`, and which variables with a
 * default are left out. Operations with the same shape of variables cost the same.
 */
export function shapeOf(declared: readonly DeclaredVariable[], variables: Variables): string {
  let shape = ''
  for (const { name, isSized } of declared) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (Array.isArray(value)) shape += `${name}:${value.length},`
    else if (isSized) shape += `${name}=${describe(value)},`
  }
  return shape
}

// JSON has no `undefined`: a variable without a value is left out.
function describe(value: unknown): string {
  return typeof value === 'number' || value === null || value === undefined ? `${value}` : typeof value
}

// It may be the size of a page.
function isInt({ type }: VariableDefinitionNode): boolean {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  return nullable.kind === Kind.NAMED_TYPE && nullable.name.value === 'Int'
}
