import fc from 'fast-check'
import { near } from '../values/mutate-json.ts'
import { wildJsonText } from '../values/wild-json.ts'

/** A body and the type it is said to have. */
export interface WireBody {
  readonly bytes: Buffer | null
  readonly contentType: string | null
  readonly chunked: boolean
}

const jsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset="utf-8"',
] as const

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/graphql',
  'application/xml',
  'application/jsonp',
  'application/json, text/plain',
  'application/vnd.api+json',
  'application/json; charset=utf-16',
  'application',
  '/',
  '*/*',
  ';',
  'x'.repeat(300),
] as const

const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...jsonTypes) },
  { weight: 1, arbitrary: fc.constantFrom(null, ...otherTypes) },
)

interface Damage {
  readonly at: number
  readonly kind: 'cut' | 'flip' | 'insert' | 'double'
  readonly byte: number
}

// Bytes that end, break or begin UTF-8 sequences and JSON are worth more than any others.
const byte = fc.oneof(
  fc.constantFrom(0, 0x22, 0x5c, 0x7b, 0x5d, 0x80, 0xc0, 0xed, 0xff, 0xfe),
  fc.nat({ max: 255 }),
)

const damage: fc.Arbitrary<Damage> = fc.record({
  at: fc.nat(400),
  kind: fc.constantFrom('cut', 'flip', 'insert', 'double'),
  byte,
})

/** The bytes of a text, some of them broken in one place. */
export function perhapsDamaged(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const whole = text.map(given => Buffer.from(given))
  const damaged = fc.tuple(whole, damage).map(([bytes, harm]) => applyDamage(bytes, harm))
  return fc.oneof({ weight: 6, arbitrary: whole }, { weight: 1, arbitrary: damaged })
}

function applyDamage(bytes: Buffer, { at, kind, byte: value }: Damage): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  if (kind === 'cut') return before
  if (kind === 'double') return Buffer.concat([before, bytes])
  return Buffer.concat([before, Buffer.from([value]), after.subarray(kind === 'flip' ? 1 : 0)])
}

/** Bodies near those of `base`, or not near at all, under a type that mostly fits. */
export function jsonBodies(base: fc.Arbitrary<unknown>): fc.Arbitrary<WireBody> {
  const text = fc.oneof(
    { weight: 8, arbitrary: near(base).map(value => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: wildJsonText },
  )
  return fc.record({ bytes: perhapsDamaged(text), contentType, chunked: rarely })
}

export const rarely = fc.integer({ min: 1, max: 12 }).map(n => n === 12)

export const noBody: fc.Arbitrary<WireBody> = fc.constant({ bytes: null, contentType: null, chunked: false })
