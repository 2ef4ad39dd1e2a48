import { setImmediate as later } from 'node:timers/promises'
import {
  buildSchema,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'

const text = `
  enum Color { RED GREEN }
  scalar Any
  input Point { x: Int!, y: Float = 1.5, tags: [String!], next: Point, color: Color, id: ID }
  type Node {
    id: ID!
    name: String
    count: Int
    ratio: Float!
    flag: Boolean
    color: Color
    any: Any
    node: Node
    must: Node!
    nodes: [Node]
    mustAll: [Node!]!
    mayAll: [Node!]
    deep: [[Node!]]
    names: [String!]
    echo(point: Point, points: [Point!], ids: [ID!], text: String = "t", int: Int, flag: Boolean, color: Color): Any
    echoAll(ids: [ID!]!, ratio: Float! = 2): Any
    plainId: ID!
    plainName: String
    plainCount: Int
    plainRatio: Float
    plainFlag: Boolean!
    plainColor: Color
    plainNames: [String]
    plainGiven(text: String): String
  }
  type Query { node: Node, must: Node!, nodes: [Node], mustAll: [Node!]!, echo(point: Point!, ids: [ID!] = ["1"]): Any }
  type Mutation { node: Node, must: Node!, nodes: [Node!], echo(text: String!, color: Color = RED): Any }
`

interface Source {
  readonly seed: number
}

/** A schema whose resolvers succeed or fail, synchronously or later, as the seed of their source decides. */
export function createOddSchema(): GraphQLSchema {
  const schema = buildSchema(text)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const { name } = field
      // Resolved by default from a property of the source.
      if (name.startsWith('plain')) continue
      if (name.startsWith('echo')) {
        field.resolve = (source: Source | undefined, given) =>
          act(mix(seedOf(source), name), () => ({ given: { ...given } }))
        continue
      }
      const isLeaf = !isObjectType(getNamedType(field.type))
      const make = (seed: number) => makeValue(String(getNamedType(field.type)), isLeaf, seed)
      const resolve = (seed: number) => act(seed, () => makeShape(field.type, seed, make))
      // The number of its parameters decides what a resolver receives.
      field.resolve =
        name.length % 2 === 0
          ? (source: Source | undefined) => resolve(mix(seedOf(source), name))
          : (source: Source | undefined, _given, _context, info) =>
              resolve(mix(seedOf(source), `${info.parentType.name}.${info.fieldName}`))
    }
  }
  return schema
}

function seedOf(source: Source | undefined): number {
  return source?.seed ?? 1
}

function makeShape(type: unknown, seed: number, make: (seed: number) => unknown): unknown {
  if (isNonNullType(type)) return makeShape(type.ofType, seed, make)
  if (!isListType(type)) return make(seed)
  if (seed % 31 === 0) return 'no list'
  const items = Array.from({ length: seed % 4 }, (_, index) => {
    const own = mix(seed, String(index))
    // A list that throws while it is made would leave earlier promises unhandled.
    try {
      return act(own, () => makeShape(type.ofType, own, make))
    } catch (error) {
      return error
    }
  })
  return seed % 7 === 0 ? new Set(items) : items
}

// Usually the expected value, sometimes one of the other cases.
function act(seed: number, make: () => unknown): unknown {
  switch (seed % 23) {
    case 0:
      throw new Error(`thrown ${seed}`)
    case 1:
      return new Error(`returned ${seed}`)
    case 2:
      return Promise.reject(new Error(`rejected ${seed}`))
    case 3:
      return null
    case 4:
      return undefined
    case 5:
    case 6:
      return Promise.resolve(make())
    case 7:
      return Promise.resolve(null)
    case 8:
      return later().then(make)
    case 9:
      return later().then(() => {
        throw new Error(`rejected later ${seed}`)
      })
    default:
      return make()
  }
}

function makeValue(type: string, isLeaf: boolean, seed: number): unknown {
  if (!isLeaf) return { seed, ...makeProperties(seed) }
  if (seed % 29 === 0) return { odd: seed }
  const values: Record<string, unknown> = {
    ID: seed % 2 === 0 ? seed : `id ${seed}`,
    String: `text ${seed}`,
    Int: seed % 13 === 0 ? 1.5 : seed % 1_000,
    Float: seed / 8,
    Boolean: seed % 2 === 0,
    Color: ['RED', 'GREEN', 'BLUE'][seed % 3],
    Any: { list: [seed], toJSON: undefined },
  }
  return values[type]
}

const plain: Readonly<Record<string, string>> = {
  plainId: 'ID',
  plainName: 'String',
  plainCount: 'Int',
  plainRatio: 'Float',
  plainFlag: 'Boolean',
  plainColor: 'Color',
  plainNames: 'String',
  plainGiven: 'String',
}

function makeProperties(seed: number): Record<string, unknown> {
  const properties = Object.entries(plain).map(([name, type], index) => {
    const own = mix(seed, name)
    // Sometimes a value of another type, which is coerced or an error.
    const of = own % 5 === 0 ? (Object.values(plain)[(index + own) % 6] ?? type) : type
    const make = () => makeValue(of, true, own)
    return [name, own % 11 === 0 ? () => act(own, make) : own % 23 === 0 ? Number.NaN : actQuietly(own, make)]
  })
  return Object.fromEntries(properties)
}

// A property does not throw, and its rejection is unhandled if nobody reads it.
function actQuietly(seed: number, make: () => unknown): unknown {
  return [0, 2, 9].includes(seed % 23) ? null : act(seed, make)
}

function mix(seed: number, name: string): number {
  let hash = seed ^ 0x9e3779b9
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
