import { expect, test } from 'vitest'
import { CallVariables } from '../../../src/scripts/calls/call-variables.ts'
import { maxDepth } from '../../../src/scripts/protocol.ts'

function read(text: string) {
  let invalid = 0
  const variables = new CallVariables(text, () => invalid++)
  return { variables, invalid: () => invalid }
}

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

test.each([
  ['a list', '[]'],
  ['a text', '"a"'],
  ['half an object', '{"a":'],
  ['two objects', '{} {}'],
  ['nothing', ''],
  ['an object that is too deep', nested(maxDepth + 1)],
])('a sandbox that sends %s as variables is compromised', (_, text) => {
  const { variables, invalid } = read(text)
  expect(() => variables.parse()).toThrow('not a JSON object')
  expect(() => variables.toText()).toThrow('not a JSON object')
  expect(invalid()).toBe(2)
})

test('variables with too many values are refused, and say nothing about the sandbox', () => {
  const { variables, invalid } = read(`{"a":[${Array(10_000).fill(0)}]}`)
  expect(() => variables.parse()).toThrow('more than 10000 values')
  expect([variables.toText().length, invalid()]).toEqual([20_007, 0])
})

test('without variables, and as deep as allowed, they are an object', () => {
  expect([read('null').variables.parse(), read('null').variables.toText()]).toEqual([{}, '{}'])
  expect(read(nested(maxDepth)).variables.parse()).toHaveProperty('a')
})
