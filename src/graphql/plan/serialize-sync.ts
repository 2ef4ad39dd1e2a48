import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
} from 'graphql'

/** Serializes a common value directly. Returns undefined if the type itself must serialize the value. */
export type SerializeSync = (value: unknown) => unknown

const byType = new Map<GraphQLLeafType, SerializeSync>([
  [
    GraphQLID,
    value =>
      typeof value === 'number' && Number.isInteger(value)
        ? String(value)
        : isText(value)
          ? value
          : undefined,
  ],
  [GraphQLString, value => (isText(value) ? value : undefined)],
  [GraphQLBoolean, value => (typeof value === 'boolean' ? value : undefined)],
  [GraphQLInt, value => (typeof value === 'number' && (value | 0) === value ? value : undefined)],
  [GraphQLFloat, value => (Number.isFinite(value) ? value : undefined)],
])

export function planSync(type: GraphQLLeafType): SerializeSync {
  return byType.get(type) ?? (value => (value instanceof Date ? serializeOrLeave(type, value) : undefined))
}

// Leaves a value that cannot be serialized to the usual path, which reports the error.
function serializeOrLeave(type: GraphQLLeafType, value: Date): unknown {
  try {
    return type.serialize(value) ?? undefined
  } catch {
    return undefined
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}
