import { readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  OperationTypeNode,
} from 'graphql'
import type { Chooser } from '../values/chooser.ts'
import { chooseValue, type Place, toLiteral } from './graphql-values.ts'

const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'))

/** The parameters of a GraphQL request. */
export interface Params {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

const query = schema.getRootType(OperationTypeNode.QUERY) ?? fail()
const mutation = schema.getRootType(OperationTypeNode.MUTATION) ?? fail()

const deepest = 5

/**
 * A document from the schema with its variables; mostly valid, and wrong now and then in each of the ways there are.
 */
export function chooseParams(choose: Chooser): Params {
  const declared: string[] = []
  const variables: Record<string, unknown> = {}
  const fragments: string[] = []

  function writeSelections(type: GraphQLObjectType, depth: number): string {
    const count = 1 + choose.upTo(depth === 0 ? 2 : 3)
    return `{ ${Array.from({ length: count }, () => writeSelection(type, depth)).join(' ')} }`
  }

  function writeSelection(type: GraphQLObjectType, depth: number): string {
    if (choose.oneIn(14)) return writeSpread(type, depth)
    if (choose.oneIn(30))
      return choose.pick(['__typename', 'unknown', '__proto__', 'a: __typename', 'constructor'])
    const fields = Object.values(type.getFields()).filter(({ type: of, name }) => {
      // Runs are slow; one in a while will do.
      if (name === 'executeTask') return choose.oneIn(8)
      return depth < deepest || !isObjectType(getNamedType(of))
    })
    const field = choose.pick(fields)
    return field === undefined ? '__typename' : writeField(field, depth)
  }

  function writeField(field: GraphQLField<unknown, unknown>, depth: number): string {
    const type = getNamedType(field.type)
    const alias = choose.oneIn(5)
      ? `${choose.pick(['a', 'b', 'id', '__proto__', 'data', 'constructor'])}: `
      : ''
    const below = isObjectType(type) !== choose.oneIn(40)
    const selections = below ? writeSelections(isObjectType(type) ? type : query, depth + 1) : ''
    return `${alias}${field.name}${writeArguments(field)}${writeDirectives()} ${selections}`
  }

  function writeArguments({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.filter(argument =>
      isRequiredArgument(argument) ? !choose.oneIn(30) : choose.oneIn(3),
    )
    const written = given.map(argument => `${argument.name}: ${writeValue(argument)}`)
    if (choose.oneIn(40)) written.push('unknown: 1')
    return written.length === 0 ? '' : `(${written.join(', ')})`
  }

  function writeValue(place: Place): string {
    if (choose.oneIn(40))
      return choose.pick(['$none', 'ENUM', '"""block"""', '{a: $none}', '1e999', '"\\u{110000}"'])
    const value = chooseValue(choose, place)
    if (!choose.oneIn(3)) return toLiteral(value)
    return declare(String(choose.oneIn(20) ? 'Int' : place.type), value)
  }

  function declare(type: string, value: unknown): string {
    const name = `v${declared.length}`
    const byDefault = choose.oneIn(6) ? ` = ${toLiteral(value)}` : ''
    declared.push(`$${name}: ${type}${byDefault}`)
    if (!choose.oneIn(15)) variables[name] = value
    return `$${name}`
  }

  function writeDirectives(): string {
    if (!choose.oneIn(12)) return ''
    const condition = choose.pick(['true', 'false', 'null', '"x"', '$none'])
    const held = choose.oneIn(2) ? declare('Boolean!', choose.pick([true, false, null, 'x'])) : condition
    return ` ${choose.pick([
      `@include(if: ${held})`,
      `@skip(if: ${held})`,
      '@unknown',
      '@include',
      '@deprecated',
      '@defer',
    ])}`
  }

  function writeSpread(type: GraphQLObjectType, depth: number): string {
    if (choose.oneIn(2)) {
      const on = choose.pick([`on ${type.name}`, '', `@include(if: true)`, 'on Team', 'on ID', 'on Nothing'])
      return `... ${on} ${writeSelections(type, depth + 1)}`
    }
    const name = `F${fragments.length}`
    const place = fragments.push('') - 1
    const cycle = choose.oneIn(12) ? `...${name} ` : ''
    fragments[place] = `fragment ${name} on ${type.name} { ${cycle}${writeSelection(type, depth + 1)} }`
    return choose.oneIn(20) ? '...Nothing' : `...${name}`
  }

  const kind = choose.pick([
    'query',
    'query',
    'query',
    'mutation',
    'mutation',
    choose.oneIn(9) ? 'subscription' : 'query',
  ])
  const body = writeSelections(kind === 'mutation' ? mutation : query, 0)
  const heading = declared.length === 0 ? '' : `(${declared.join(', ')})`
  const second = choose.oneIn(12) ? ' query Second { viewer { email } }' : ''
  const text = `${kind} First${heading}${writeDirectives()} ${body}${second} ${fragments.join(' ')}`
  return {
    query: text,
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...(second !== '' || choose.oneIn(20)
      ? { operationName: choose.pick(['First', 'Second', 'None', '']) }
      : {}),
  }
}

function fail(): never {
  throw new Error('`schema.graphql` has no such root type.')
}
