import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
  valueFromAST,
} from 'graphql'
import type { Values } from './read-arguments.ts'

/** Returned for a value that is wrong or of an unknown type. graphql-js must then check the variables. */
export const cannotCoerce: unique symbol = Symbol('cannotCoerce')

type CannotCoerce = typeof cannotCoerce
type Coerce = (value: unknown) => unknown

/** Coerces a request's variables like graphql-js. Returns `cannotCoerce` if graphql-js must check them. */
export type CoerceVariables = (given: Values) => Values | CannotCoerce

interface Variable {
  readonly name: string
  readonly coerce: Coerce
  readonly isRequired: boolean
  readonly hasDefault: boolean
  readonly makeDefault: () => unknown
}

/** Returns a function that coerces an operation's variables; null if a variable has an unsupported type. */
export function planVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): CoerceVariables | null {
  const variables: Variable[] = []
  for (const { variable, type: typeNode, defaultValue } of variableDefinitions) {
    const type = typeFromAST(schema, typeNode)
    const name = variable.name.value
    if (!isInputType(type) || name === '__proto__') return null
    const hasDefault = defaultValue !== undefined
    const makeDefault = planDefault(defaultValue, type)
    const isRequired = isNonNullType(type) && !hasDefault
    variables.push({ name, coerce: planType(type), isRequired, hasDefault, makeDefault })
  }
  return given => coerceEach(variables, given)
}

// A default that is an object is made again for each request, because a resolver could change it.
function planDefault(node: ValueNode | undefined, type: GraphQLInputType): () => unknown {
  const value = node && valueFromAST(node, type)
  return typeof value === 'object' && value !== null ? () => valueFromAST(node, type) : () => value
}

function coerceEach(variables: readonly Variable[], given: Values): Values | CannotCoerce {
  const values: Record<string, unknown> = {}
  for (const { name, coerce, isRequired, hasDefault, makeDefault } of variables) {
    if (Object.hasOwn(given, name)) {
      const value = coerce(given[name])
      if (value === cannotCoerce) return cannotCoerce
      values[name] = value
    } else if (isRequired) return cannotCoerce
    else if (hasDefault) values[name] = makeDefault()
  }
  return values
}

function planType(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const inner = planType(type.ofType)
    return value => (value == null ? cannotCoerce : inner(value))
  }
  const inner = planNullable(type)
  return value => (value == null ? null : inner(value))
}

function planNullable(type: GraphQLInputType): Coerce {
  if (isListType(type)) return planList(planType(type.ofType))
  if (isInputObjectType(type)) return planObject(type)
  if (isEnumType(type))
    return value => (typeof value === 'string' ? type.getValue(value)?.value : cannotCoerce) ?? cannotCoerce
  switch (type) {
    case GraphQLID:
      return value =>
        Number.isInteger(value) ? String(value) : typeof value === 'string' ? value : cannotCoerce
    case GraphQLString:
      return value => (typeof value === 'string' ? value : cannotCoerce)
    case GraphQLBoolean:
      return value => (typeof value === 'boolean' ? value : cannotCoerce)
    case GraphQLFloat:
      return value => (Number.isFinite(value) ? value : cannotCoerce)
    case GraphQLInt:
      // True only for 32-bit integers, because a bitwise operator leaves exactly these unchanged. -0 stays -0, as in
      // graphql-js.
      return value => (typeof value === 'number' && (value | 0) === value ? value : cannotCoerce)
    default:
      // Scalars of this schema that are not built in read their values themselves.
      return value => readScalar(type, value)
  }
}

// Reads a value by its scalar. If the scalar refuses it, graphql-js must check it and word the error.
function readScalar(type: GraphQLInputType, value: unknown): unknown {
  if (!isScalarType(type)) return cannotCoerce
  try {
    return type.parseValue(value)
  } catch {
    return cannotCoerce
  }
}

// Coerces a list. JSON has two kinds of iterable values, lists and strings, and graphql-js treats a string as one item.
function planList(item: Coerce): Coerce {
  return given => {
    const items: readonly unknown[] = Array.isArray(given) ? given : [given]
    const values: unknown[] = []
    for (const each of items) {
      const value = item(each)
      if (value === cannotCoerce) return cannotCoerce
      values.push(value)
    }
    return values
  }
}

interface Field {
  readonly name: string
  /** Created on first use, because input types may contain themselves. */
  readonly plan: () => Coerce
  readonly isOptional: boolean
  /** The default as resolvers get it; undefined if there is none. */
  readonly byDefault: unknown
}

function planObject(type: GraphQLInputObjectType): Coerce {
  if (type.isOneOf) return () => cannotCoerce
  const fields = Object.values(type.getFields()).map(({ name, type: of, defaultValue }) => ({
    name,
    plan: lazily(() => planType(of)),
    isOptional: !isNonNullType(of),
    byDefault: defaultValue,
  }))
  const names = new Set(fields.map(({ name }) => name))
  return given => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return cannotCoerce
    return Object.keys(given).every(name => names.has(name))
      ? coerceFields(fields, given as Values)
      : cannotCoerce
  }
}

function coerceFields(fields: readonly Field[], given: Values): Values | CannotCoerce {
  const values: Record<string, unknown> = {}
  for (const { name, plan, isOptional, byDefault } of fields) {
    const value = given[name]
    if (value === undefined) {
      if (byDefault !== undefined) values[name] = byDefault
      else if (!isOptional) return cannotCoerce
      continue
    }
    const coerced = plan()(value)
    if (coerced === cannotCoerce) return cannotCoerce
    values[name] = coerced
  }
  return values
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
