import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql'
import { bounds } from './bounds.ts'
import type { Variables } from './read-argument.ts'
import { beyondBound } from './refuse-bound.ts'

/** A declared variable. `isSized` is true if its value or its absence can change the cost. */
interface DeclaredVariable {
  readonly name: string
  readonly isSized: boolean
  /** The names of the members of an input object, because a filter's members can change the cost. */
  readonly members: readonly string[]
}

/** Returns the declared variables of a valid operation, for `shapeOf`. */
export function declaredVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): readonly DeclaredVariable[] {
  return variableDefinitions.map(definition => {
    const members = membersOf(schema, definition)
    const isSized = definition.defaultValue !== undefined || members.length > 0 || decidesCost(definition)
    return { name: definition.variable.name.value, isSized, members }
  })
}

function membersOf(schema: GraphQLSchema, { type: typeNode }: VariableDefinitionNode): readonly string[] {
  const type = getNullableType(typeFromAST(schema, typeNode))
  return isInputObjectType(type) ? Object.keys(type.getFields()) : []
}

/**
 * Returns the shape of variables, which decides the cost of an operation: the length of each list, the value of each
 * `Int`, which members an input object has, and which variables with a default and which nullable strings are absent.
 * It has their positions, not their names, so that it is short: shapes are cached beside the document.
 */
export function shapeOf(declared: readonly DeclaredVariable[], variables: Variables): string {
  let shape = ''
  for (const [position, { name, isSized, members }] of declared.entries()) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (Array.isArray(value)) shape += `${position}:${value.length},`
    else if (isSized) shape += `${position}=${describe(value)}${describeMembers(value, members)},`
  }
  return shape
}

// Writes the positions of the members, too.
function describeMembers(value: unknown, members: readonly string[]): string {
  if (members.length === 0 || typeof value !== 'object' || value === null) return ''
  const given = value as Variables
  let described = ''
  for (const [position, name] of members.entries()) if (given[name] != null) described += ` ${position}`
  return described
}

// `undefined` stands for an absent variable, because JSON has no `undefined`.
function describe(value: unknown): string {
  return typeof value === 'number' || value === null || value === undefined ? `${value}` : typeof value
}

// True for types that can change the cost: an `Int` may be a page size, and a nullable string may narrow a list.
function decidesCost({ type }: VariableDefinitionNode): boolean {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  if (nullable.kind !== Kind.NAMED_TYPE) return false
  return nullable.name.value === 'Int' || (nullable === type && nullable.name.value === 'String')
}

/**
 * Returns a function that removes the content of `JSON` values from variables, because such values have limits of their
 * own and are not coerced. It returns the same object if no declared variable contains `JSON`.
 */
export function createLeaveOutJson(
  schema: GraphQLSchema,
  node: OperationDefinitionNode | null,
): LeaveOutJson {
  const declared = (node?.variableDefinitions ?? []).flatMap(({ variable, type: typeNode }) => {
    const type = typeFromAST(schema, typeNode)
    return isInputType(type) && hasJson(type) ? [{ name: variable.name.value, type }] : []
  })
  if (declared.length === 0) return variables => variables
  return variables => {
    const isPastBound = countTogether()
    if (isPastBound(variables)) return variables
    const left: Record<string, unknown> = { ...variables }
    for (const { name, type } of declared) left[name] = leaveOut(type, left[name], isPastBound)
    return left
  }
}

export type LeaveOutJson = (variables: Variables) => Variables

// True if a type contains `JSON`. Types in `above` are being checked already, so a type that contains itself ends
// there.
function hasJson(type: GraphQLInputType, above: readonly GraphQLInputType[] = []): boolean {
  const inner = getNullableType(type)
  if (isListType(inner)) return hasJson(inner.ofType, above)
  if (!isInputObjectType(inner)) return inner.name === 'JSON'
  if (above.includes(inner)) return false
  return Object.values(inner.getFields()).some(field => hasJson(field.type, [...above, inner]))
}

function leaveOut(type: GraphQLInputType, value: unknown, isPastBound: (value: object) => boolean): unknown {
  const inner = getNullableType(type)
  if (isListType(inner)) {
    if (!Array.isArray(value)) return leaveOut(inner.ofType, value, isPastBound)
    return isPastBound(value) ? value : value.map(item => leaveOut(inner.ofType, item, isPastBound))
  }
  if (!isInputObjectType(inner)) return inner.name === 'JSON' ? null : value
  if (typeof value !== 'object' || value === null || isPastBound(value)) return value
  const fields = inner.getFields()
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field === undefined ? part : leaveOut(field.type, part, isPastBound)]
    }),
  )
}

/** Throws `BAD_USER_INPUT` if the variables have more than `bounds.values` values, at any depth. */
export function refuseManyValues(variables: Variables): void {
  if (!areFewValues(variables)) throw beyondBound('values')
}

/** True if the variables are within the bound `values`. */
export function areFewValues(variables: Variables): boolean {
  return areFewScalars(variables) || areFewAtAnyDepth(variables)
}

// Counts without a list in the usual case: one or two scalar variables.
function areFewScalars(variables: Variables): boolean {
  let count = 0
  for (const name in variables) {
    const value = variables[name]
    if ((typeof value === 'object' && value !== null) || ++count > bounds.values) return false
  }
  return true
}

function areFewAtAnyDepth(variables: unknown): boolean {
  const isPastBound = countTogether()
  for (let level = [variables]; level.length > 0; ) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (isPastBound(value)) return false
      addObjects(Array.isArray(value) ? value : Object.values(value), below)
    }
    level = below
  }
  return true
}

// Returns a function that counts the parts of all its values. It returns true once they are past the bound: the
// variables are then refused whatever is inside, so no more of them is copied. A copy of 170,000 fields takes 0.2 s. To
// count them without reading them takes a third of the time.
function countTogether(): (value: object) => boolean {
  let count = 0
  return value => {
    if (count <= bounds.values) count += Array.isArray(value) ? value.length : Object.keys(value).length
    return count > bounds.values
  }
}

function addObjects(parts: readonly unknown[], objects: unknown[]): void {
  for (const part of parts) if (typeof part === 'object') objects.push(part)
}
