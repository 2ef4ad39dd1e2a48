import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../../src/json/parse-json.ts'
import { type GivenJson, readJson } from '../../src/json/read-json.ts'

const read = (text: string) => readJson(parseJson(text) as GivenJson, { pointer: '' })

const digit = fc.constantFrom(...'0123456789')
const digits = fc.oneof(
  fc.string({ unit: digit, minLength: 1, maxLength: 30 }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }).map(String),
  fc.integer({ min: 53, max: 300 }).map(power => String(2n ** BigInt(power))),
)
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    digits,
    point: fc.nat({ max: 30 }),
    zeros: fc.nat({ max: 20 }),
    e: fc.constantFrom('e', 'E', 'e+'),
    exponent: fc.option(fc.integer({ min: -40, max: 330 })),
  })
  .map(({ sign, digits: all, point, zeros, e, exponent }) => {
    const whole = all.slice(0, point).replace(/^0+(?=.)/, '') || '0'
    const fraction = all.slice(point) + '0'.repeat(zeros)
    const power = exponent === null ? '' : exponent < 0 ? `e${exponent}` : `${e}${exponent}`
    return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${power}`
  })

/** The number without a fraction, times ten to the returned power. */
function toInteger(text: string): { integer: bigint; power: number } {
  const [coefficient = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = coefficient.split('.')
  return { integer: BigInt(whole + fraction), power: Number(exponent) - fraction.length }
}

const shift = 400

/** True if the text is an integer that its nearest double, written as JSON, is not. */
function isChanged(text: string): boolean {
  const [given, written] = [text, JSON.stringify(JSON.parse(text))].map(toInteger)
  const scale = ({ integer, power } = { integer: 0n, power: 0 }) => integer * 10n ** BigInt(power + shift)
  return scale(given) % 10n ** BigInt(shift) === 0n && scale(given) !== scale(written)
}

test('a number is refused where JSON would write another integer, and else can be saved as it is read', () => {
  const check = (text: string) => {
    fc.pre(Number.isFinite(Number(text)))
    if (isChanged(text)) {
      expect(() => read(text)).toThrow('send it as text')
      return
    }
    const written = JSON.stringify(read(text))
    expect(written).toBe(JSON.stringify(JSON.parse(text)))
    expect(JSON.stringify(read(written))).toBe(written)
  }
  fc.assert(fc.property(number, check), { numRuns: 5_000 })
})

test('every double can be saved as it is written', () => {
  const double = fc.double({ noDefaultInfinity: true, noNaN: true })
  const large = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(Number)
  fc.assert(
    fc.property(fc.array(fc.oneof(double, large)), numbers => {
      const text = JSON.stringify(numbers)
      expect(JSON.stringify(read(text))).toBe(text)
    }),
    { numRuns: 1_000 },
  )
})

const document = fc
  .json({ maxDepth: 3 })
  .chain(json =>
    fc.record({ json: fc.constant(json), texts: fc.array(fc.oneof(fc.string(), number)), number }),
  )

test('an inexact integer is found among strings that look like it', () => {
  fc.assert(
    fc.property(document, ({ json, texts, number: text }) => {
      // The name is refused as a key, whatever is beside it.
      fc.pre(Number.isFinite(Number(text)) && !json.includes('__proto__'))
      const strings = texts.map(each => JSON.stringify(each)).join()
      const whole = `{"json":${json},"texts":[${strings}],"\\\\\\"${text}":[${text}]}`
      if (isChanged(text)) expect(() => read(whole)).toThrow(`"${text}/0\` is an integer`)
      else expect(JSON.stringify(read(whole))).toBe(JSON.stringify(JSON.parse(whole)))
    }),
    { numRuns: 1_000 },
  )
})

test('long numbers and long exponents are read', () => {
  const zeros = '0'.repeat(200_000)
  expect(read(`[0.${zeros}1e200011,1e${zeros},0e-${zeros}9,1${zeros}1e-${zeros}200001]`)).toEqual([
    1e10, 1, 0, 1,
  ])
  expect(() => read(`[0.${zeros}9007199254740993e200016]`)).toThrow('send it as text')
  expect(() => read(`1${zeros}`)).toThrow('overflows')
})
