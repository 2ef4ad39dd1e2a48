import { Kind, type OperationDefinitionNode, type VariableDefinitionNode } from 'graphql'
import type { Variables } from './read-argument.ts'

/** A declared variable. With `isSized`, its value or its absence can change the cost. */
interface DeclaredVariable {
  readonly name: string
  readonly isSized: boolean
}

/** The declared variables of a valid operation, for `shapeOf`. */
export function declaredVariables({
  variableDefinitions = [],
}: OperationDefinitionNode): readonly DeclaredVariable[] {
  return variableDefinitions.map(definition => ({
    name: definition.variable.name.value,
    isSized: definition.defaultValue !== undefined || isInt(definition),
  }))
}

/**
 * The shape of variables, which decides the cost of an operation: the length of each list, the value of each `Int`, and
 * which variables with a default are absent.
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

// JSON has no `undefined`, so it means that the variable is absent.
function describe(value: unknown): string {
  return typeof value === 'number' || value === null || value === undefined ? `${value}` : typeof value
}

// An `Int` may be a page size.
function isInt({ type }: VariableDefinitionNode): boolean {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  return nullable.kind === Kind.NAMED_TYPE && nullable.name.value === 'Int'
}
