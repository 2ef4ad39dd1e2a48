import { Kind, type OperationDefinitionNode, type VariableDefinitionNode } from 'graphql'
import { bounds } from './bounds.ts'
import type { Variables } from './read-argument.ts'
import { beyondBound } from './refuse-bound.ts'

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

/** Throws `BAD_USER_INPUT` if the variables have more than `bounds.values` values, at any depth. */
export function refuseManyValues(variables: Variables | null | undefined): void {
  if (!areFewValues(variables)) throw beyondBound('values')
}

/** True if the variables are within the bound `values`. */
export function areFewValues(variables: Variables | null | undefined): boolean {
  return areFewScalars(variables) || areFewAtAnyDepth(variables)
}

// Most variables are one or two scalars: looked at where they are, without a list of them.
function areFewScalars(variables: Variables | null | undefined): boolean {
  let count = 0
  for (const name in variables) {
    const value = variables[name]
    if ((typeof value === 'object' && value !== null) || ++count > bounds.values) return false
  }
  return true
}

function areFewAtAnyDepth(variables: unknown): boolean {
  let count = 0
  for (let level = [variables]; level.length > 0; ) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      const parts = Array.isArray(value) ? value : Object.values(value)
      count += parts.length
      if (count > bounds.values) return false
      addObjects(parts, below)
    }
    level = below
  }
  return true
}

function addObjects(parts: readonly unknown[], objects: unknown[]): void {
  for (const part of parts) if (typeof part === 'object') objects.push(part)
}
