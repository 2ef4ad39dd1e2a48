import { GraphQLError, Kind, type ValueNode } from 'graphql'
import { readNumber } from '../json/inexact-integer.ts'
import type { GivenJson } from '../json/read-json.ts'
import { builder } from './builder.ts'

type Variables = Readonly<Record<string, unknown>> | null | undefined

// `readJson` refuses what is not allowed, and so can name the place.
builder.scalarType('JSON', {
  description:
    'Any JSON value. As input: no integer that a double would change, no number that overflows, no key\n' +
    '`__proto__`. Send those as text.',
  serialize: value => value,
  parseValue: value => value as GivenJson,
  parseLiteral: (node, variables) => readLiteral(node, variables) as GivenJson,
})

function readLiteral(node: ValueNode, variables: Variables): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return readNumber(node.value)
    case Kind.STRING:
    case Kind.BOOLEAN:
      return node.value
    case Kind.NULL:
      return null
    case Kind.ENUM:
      throw new GraphQLError('A word is not JSON; write texts in quotes.', { nodes: node })
    case Kind.LIST:
      return node.values.map(item => readLiteral(item, variables))
    case Kind.OBJECT: {
      const fields: Record<string, unknown> = Object.create(null)
      for (const { name, value } of node.fields) fields[name.value] = readLiteral(value, variables)
      return fields
    }
    case Kind.VARIABLE:
      return readVariable(node.name.value, variables)
    default:
      return node satisfies never
  }
}

// graphql-js keeps variables in an ordinary object, which has a `constructor` and others that nobody sent.
function readVariable(name: string, variables: Variables): unknown {
  return variables != null && Object.hasOwn(variables, name) ? variables[name] : null
}

builder.scalarType('DateTime', {
  description: 'A UTC time as ISO 8601 text, for example `2026-11-20T10:00:00.000Z`.',
  serialize: writeTime,
  parseValue: value => readTime(value),
  parseLiteral: node => readTime(node.kind === Kind.STRING ? node.value : null, node),
})

// The texts of times that were written lately. The rows of a list are mostly read again, and 100 cases have 200 times.
const maxTimes = 20_000
const times = new Map<number, string>()

/** As `toISOString`, mostly in a tenth of its time. Throws for an invalid date. */
export function writeTime(date: Date): string {
  const time = date.getTime()
  const known = times.get(time)
  if (known !== undefined) return known
  const text = date.toISOString()
  if (times.size === maxTimes) times.clear()
  times.set(time, text)
  return text
}

const isoTime = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

// The error of a literal needs its node, which says where it is. For a variable graphql-js adds the place.
function readTime(text: unknown, node?: ValueNode): Date {
  const day = typeof text === 'string' ? isoTime.exec(text)?.[1] : undefined
  const time = day !== undefined && isDay(day) ? new Date(text as string) : null
  if (time !== null && !Number.isNaN(time.getTime())) return time
  throw new GraphQLError('A time is ISO 8601 text with its zone, for example `2026-11-20T10:00:00.000Z`.', {
    nodes: node ?? null,
  })
}

// JavaScript reads the 30th of February as the 2nd of March.
function isDay(day: string): boolean {
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
