import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import type { Caller } from '../../../src/credentials/caller.ts'
import { readScript } from '../../../src/scripts/input/read-script.ts'
import { addToken, keptOptions, scriptOptions } from '../../../src/scripts/input/script-options.ts'
import { scriptOf } from '../run/start-tasks.ts'

const { runLimits } = readConfig({})

const transaction = { txnID: '0b6e1f0a-9d3c-4c1e-8f2a-1234567890ab', txnSource: 'endpoint|-/test|now' }
const caller: Caller = {
  accountCode: 'alpha',
  userId: 7,
  subject: null,
  email: 'ann@example.com',
  displayName: 'Ann',
  scopes: new Set(['tasks:execute']),
}

function textOf(text: string, by: Caller = caller): string {
  const { options } = readScript(scriptOf('exit(1)', { options: text }), runLimits)
  return addToken(scriptOptions({ given: options, caller: by, transaction }), 'rrun_1')
}

function optionsOf(given: Record<string, unknown>, by: Caller = caller): Record<string, unknown> {
  return JSON.parse(textOf(JSON.stringify(given), by))
}

test('empty options are filled from the credential', () => {
  expect(optionsOf({})).toEqual({
    current_user: { id: 7, email: 'ann@example.com', display_name: 'Ann', account_code: 'alpha' },
    params: {},
    changed_fields: null,
    requestContext: transaction,
    authorization: 'Bearer rrun_1',
  })
})

test('a credential without a user gives a user of nulls', () => {
  const nobody = { ...caller, userId: null, email: null, displayName: null }
  expect(optionsOf({}, nobody).current_user).toEqual({
    id: null,
    email: null,
    display_name: null,
    account_code: 'alpha',
  })
})

test('what the caller gives is passed on as data', () => {
  const given = {
    current_user: { id: 1, account_code: 'beta', admin: true },
    params: { a: [1, { b: null }] },
    changed_fields: { status: ['new', 'old'] },
    extra: { '': 0 },
  }
  expect(optionsOf(given)).toEqual({ ...given, requestContext: transaction, authorization: 'Bearer rrun_1' })
})

test('requestContext and authorization are always set by the service', () => {
  const given = { requestContext: { txnID: 'forged' }, authorization: 'Bearer stolen' }
  const options = optionsOf(given)
  expect(options.requestContext).toEqual(transaction)
  expect(options.authorization).toBe('Bearer rrun_1')
  expect(JSON.stringify(options)).not.toMatch(/forged|stolen/)
})

test('null counts as absent', () => {
  const { current_user, params, changed_fields } = optionsOf({
    current_user: null,
    params: null,
    changed_fields: null,
  })
  expect(current_user).toMatchObject({ id: 7 })
  expect([params, changed_fields]).toEqual([{}, null])
})

test('a `__proto__` of the caller stays a plain key', () => {
  const text = textOf('{"__proto__":{"authorization":"forged","polluted":1}}')
  expect(JSON.parse(text).authorization).toBe('Bearer rrun_1')
  expect(text).toContain('"__proto__"')
  expect(Reflect.get({}, 'polluted')).toBe(undefined)
})

test.each([
  ['{}', {}],
  [' {\n } ', {}],
  ['{"params":{"a":1},"params":null}', { params: {} }],
  ['{"params":null,"params":{"a":1}}', { params: { a: 1 } }],
  ['{"p\\u0061rams" : {"a":1}}', { params: { a: 1 } }],
  ['{"a":{"params":1},"params":{}}\t', { a: { params: 1 }, params: {} }],
  ['{"\\u0061uthorization":"Bearer stolen","authorization":"Bearer stolen"}', {}],
])(
  'of %s a script sees the last member of each name, and the service wins in any spelling',
  (text, expected) => {
    expect(JSON.parse(textOf(text))).toMatchObject({
      ...expected,
      requestContext: transaction,
      authorization: 'Bearer rrun_1',
    })
  },
)

test.each([
  ['{}', '{}'],
  ['{"a":1}', '{"a":1}'],
  ['{"authorization":"Bearer stolen"}', '{}'],
  ['{"a":"\\u00e9" , "\\u0061uthorization" : "Bearer stolen", "b":[1,2]}', '{"a":"é","b":[1,2]}'],
  ['{"authorization":{"a":1},"a":{"authorization":1},"authorization":[]}', '{"a":{"authorization":1}}'],
  ['{"a":"authorization \ud800"}', '{"a":"authorization \\ud800"}'],
])('the options %s are stored without the credential of the caller', (text, expected) => {
  expect(JSON.parse(keptOptions(text))).toEqual(JSON.parse(expected))
})

test('options are stored however deep they are nested', () => {
  const levels = 50_000
  const text = `{"a":"\\u0061","b":${'['.repeat(levels)}{"0":1}${']'.repeat(levels)}}`
  expect(keptOptions(text)).toBe(text)
})
