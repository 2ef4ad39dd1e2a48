import { expect, test } from 'vitest'
import { parseId, parseIdFields, parseIds } from '../../src/domain/id.ts'
import { RostrumError } from '../../src/errors.ts'

test.each([
  ['1', 1],
  ['42', 42],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('%s is an id', (text, id) => {
  expect(parseId(text, 'user id')).toBe(id)
})

test.each([
  '',
  '0',
  '01',
  '-1',
  '+1',
  ' 1',
  '1 ',
  '1\n',
  '1.0',
  '1e3',
  '0x10',
  '1_000',
  '١',
  '9007199254740992',
  '9007199254740993',
  '99999999999999999999',
  'NaN',
  'true',
])('%j is no id, and the message names it', text => {
  expect(() => parseId(text, 'user id')).toThrow(RostrumError)
  expect(() => parseId(text, 'user id')).toThrow(`\`${text}\` is not a valid user id`)
})

test('the message of a list names all texts that are no ids, up to ten', () => {
  expect(parseIds(['2', '1', '2'], 'user id')).toEqual([2, 1, 2])
  expect(() => parseIds(['1', 'x', 'x'], 'user id')).toThrow('`x` is not a valid user id')
  expect(() => parseIds(['x', '1', '0', '9'.repeat(100)], 'user id')).toThrow(
    `\`x\`, \`0\`, \`${'9'.repeat(40)}…\` are not valid user ids: each must be an integer`,
  )
  const many = Array.from({ length: 13 }, (_, at) => `x${at}`)
  expect(() => parseIds(many, 'user id')).toThrow('`x9` and 3 more are not valid user ids')
})

test('the error of fields names each text that is no id, with a pointer to its field', () => {
  const userId = { text: 'x', what: 'user id' }
  expect(parseIdFields({ userId: { ...userId, text: '7' } })).toEqual({ userId: 7 })
  const read = () =>
    parseIdFields({ userId, hookId: { text: '1', what: 'hook id' }, teamId: { text: '', what: 'team id' } })
  expect(read).toThrow(/^`x` is not a valid user id: .*\. `` is not a valid team id: /)
  expect(read).toThrow(
    expect.objectContaining({
      fields: [
        { pointer: '/userId', detail: expect.stringContaining('must be an integer') },
        { pointer: '/teamId', detail: expect.stringContaining('must be an integer') },
      ],
    }),
  )
})

test('a long text is cut in the message', () => {
  try {
    parseId('9'.repeat(100_000), 'user id')
    expect.unreachable()
  } catch (error) {
    expect(String(error).length).toBeLessThan(200)
  }
})
