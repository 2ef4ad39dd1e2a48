import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import type { Chooser } from '../values/chooser.ts'

/** Where a value belongs: its type, and the name of the field or argument, which says which texts make sense. */
export interface Place {
  readonly type: GraphQLInputType
  readonly name: string
}

const ids = [
  '1',
  '2',
  '3',
  '5',
  '8',
  '60',
  '9007199254740991',
  '0',
  '-1',
  '01',
  '1e3',
  '9007199254740992',
  'x',
  '',
]

const texts: Readonly<Record<string, readonly string[]>> = {
  name: ['a', 'Ops', '', 'é\u2028', '\0', 'x'.repeat(201)],
  displayName: ['Ann', '', '\ud83d', 'x'.repeat(200)],
  email: ['a@b.example', 'x', '@', 'a@b\n'],
  sourceCode: ['exit(1)', 'exit(payload)', 'fail("no")', 'throw 1'],
  inputDocument: ['{', '{}', '[1', '', '{"a":1}', '"\\ud800"'],
  options: ['[]', '{}', 'null', '{"params":{"a":1}}', '{'],
  caseTypeCode: ['incident', '', 'x'.repeat(201)],
  after: ['bWVtYmVyc2hpcDox', 'x', '', 'bWVtYmVyc2hpcDow', 'bWVtYmVyc2hpcDoxCg'],
  before: ['bWVtYmVyc2hpcDo5', 'bWVtYmVyc2hpcDotMQ', '%00'],
}

const sizes = [1, 2, 0, 5, 100, 1000, 1001, -1, 2 ** 31 - 1]

const wildValues: readonly unknown[] = [
  null,
  true,
  1.5,
  1e30,
  2 ** 31,
  -(2 ** 53),
  'x',
  '',
  [],
  [1, [2]],
  {},
  { id: 1 },
  { constructor: 1, toString: null },
]

/** A JSON value for a place, now and then one that does not fit. */
export function chooseValue(choose: Chooser, { type, name }: Place): unknown {
  if (choose.oneIn(24)) return choose.pick(wildValues)
  if (isNonNullType(type)) return chooseValue(choose, { type: type.ofType, name })
  if (choose.oneIn(16)) return null
  if (isListType(type)) {
    const items = Array.from({ length: choose.upTo(3) }, () =>
      chooseValue(choose, { type: type.ofType, name }),
    )
    return choose.oneIn(8) ? items[0] : items
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(field =>
      isRequiredInputField(field) ? !choose.oneIn(24) : choose.oneIn(2),
    )
    const entries = fields.map(field => [field.name, chooseValue(choose, field)])
    return Object.fromEntries(choose.oneIn(20) ? [...entries, ['unknown', 1]] : entries)
  }
  if (isEnumType(type)) return choose.pick(type.getValues())?.name
  return chooseScalar(choose, type.name, name)
}

function chooseScalar(choose: Chooser, type: string, name: string): unknown {
  switch (type) {
    case 'ID': {
      const id = choose.pick(ids)
      return choose.oneIn(3) ? Number(id) : id
    }
    case 'Int':
      return choose.pick(sizes)
    case 'Boolean':
      return choose.oneIn(2)
    default:
      return choose.pick(texts[name] ?? ['x'])
  }
}

/** A value as a literal of GraphQL; text is escaped as JSON escapes it, which GraphQL takes for all but half pairs. */
export function toLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toLiteral).join(' ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${key}: ${toLiteral(item)}`)
      .join(', ')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
