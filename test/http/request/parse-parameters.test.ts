import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseParameters } from '../../../src/http/request/parse-parameters.ts'

const parse = (text: string) => parseParameters({ text, maxFields: 100, what: 'A form' })

const ascii = ['%', '%2', '%26', '%E2%82%AC', '%FF', '+', '&', '=', 'a', '%00']
const characters = ['ü', '€', '\ufeff', '%26', '%E2%82%AC', '+', '&', '=']

// Beside a character outside ASCII, Node reads an invalid escape otherwise than the standard says.
test.each([[ascii], [characters]])('parameters are read as `URLSearchParams` reads them: %j', parts => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 20 }), chosen => {
      const text = chosen.join('')
      expect(parse(text)).toEqual([...new URLSearchParams(`&${text}`)])
    }),
    { numRuns: 1_000, seed: 20_261_122 },
  )
})

test('escapes that are not UTF-8 are refused where they are fatal', () => {
  expect(() => parseParameters({ text: 'a=%FF', maxFields: 1, what: 'A form', fatal: true })).toThrow(
    'A form must not have percent-encoded bytes that are not UTF-8.',
  )
})
