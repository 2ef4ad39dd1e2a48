import fc from 'fast-check'

// Few enough that callers meet rows, and each other's.
export const smallId = fc.integer({ min: 1, max: 60 })

export const goodId = fc.oneof(
  { weight: 8, arbitrary: smallId },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32, 2 ** 52) },
)

const badIdTexts = [
  '0',
  '-0',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e3',
  '0x1',
  '0b1',
  '1n',
  '1_000',
  ' 1',
  '1 ',
  '1\t',
  '1\n',
  '٣',
  '１',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  'true',
  '9007199254740992',
  '9007199254740993',
  '18446744073709551617',
  '1'.repeat(400),
  '__proto__',
  'constructor',
  'toString',
  '',
  '1,2',
  '1;2',
  '1/2',
  '..',
  '../1',
  '1?',
  '1#',
  ':id',
  '*',
  '{id}',
  '1\0',
  "1' OR '1'='1",
  '1; DROP TABLE users',
  '\u202e1',
  'é',
  '😀',
]

/** The text of an id, good or in one of the ways that ids are not. */
export const idText = fc.oneof(
  { weight: 5, arbitrary: goodId.map(String) },
  { weight: 2, arbitrary: fc.constantFrom(...badIdTexts) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12, unit: 'grapheme' }) },
)

/** Whether a text is an id (contract, section 2), by a rule of the tests' own. */
export function isIdText(text: string): boolean {
  return /^\d+$/.test(text) && !text.startsWith('0') && BigInt(text) < 2n ** 53n
}

/** Whether a JSON value is an id. */
export function isIdValue(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 53
}
