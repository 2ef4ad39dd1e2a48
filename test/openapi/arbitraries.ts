import * as fc from 'fast-check'
import { document, type Schema } from './document.ts'

/** Makes values that a schema of the document accepts. Throws for a keyword that it does not know. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, anyOf, const: constant, enum: words, type } = schema
  if (typeof $ref === 'string')
    return valuesOf(document.components.schemas[$ref.replace('#/components/schemas/', '')] ?? {})
  if (constant !== undefined) return fc.constant(constant)
  if (Array.isArray(words)) return fc.constantFrom(...words)
  if (Array.isArray(anyOf) && type === undefined)
    return fc.oneof(...anyOf.map(each => valuesOf(each as Schema)))
  if (Array.isArray(type)) return fc.oneof(...type.map(each => valuesOf({ ...schema, type: each })))
  return ofType(String(type), schema)
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'undefined':
      return fc.jsonValue({ maxDepth: 2 })
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'integer':
      return integers(schema)
    case 'string':
      return texts(schema)
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as Schema), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: 5,
      })
    case 'object':
      return objects(schema)
    default:
      throw new Error(`The type \`${type}\` is not known.`)
  }
}

function integers({ minimum = -1_000, maximum = 1_000 }: Schema): fc.Arbitrary<number> {
  const [min, max] = [Number(minimum), Number(maximum)]
  return fc.oneof(fc.integer({ min, max: Math.min(max, min + 40) }), fc.constantFrom(min, max))
}

function texts({
  pattern,
  format,
  minLength = 0,
  maxLength = 200,
  contentSchema,
}: Schema): fc.Arbitrary<string> {
  if (contentSchema !== undefined)
    return valuesOf(contentSchema as Schema).map(value => JSON.stringify(value))
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map(date => date.toISOString())
  const limits = { minLength: Number(minLength), maxLength: Math.min(Number(maxLength), 40) }
  const free = fc.string({ ...limits, unit: 'grapheme' })
  if (pattern === undefined) return free
  const rule = new RegExp(String(pattern), 'u')
  const isPlain = rule.source.includes('\\u0000]*$') || rule.source === '\\S'
  return isPlain ? free.filter(text => rule.test(text)) : fc.stringMatching(new RegExp(String(pattern)))
}

function objects({ properties = {}, required = [], anyOf }: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties as Readonly<Record<string, Schema>>)
  if (members.length === 0)
    return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
  const values = Object.fromEntries(members.map(([name, each]) => [name, valuesOf(each)]))
  const names = required as readonly string[]
  const made = fc.record(values, { requiredKeys: [...names] })
  if (anyOf === undefined) return made
  const choices = (anyOf as readonly { readonly required: readonly string[] }[]).map(each => each.required)
  return made.filter(value => choices.some(choice => choice.every(name => Object.hasOwn(value, name))))
}
