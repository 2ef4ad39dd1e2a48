import { expect, test } from 'vitest'
import { nameCall } from '../../../src/scripts/calls/name-call.ts'

const nameOf = (query: string) => nameCall({ query, url: null })

test.each([
  ['{ user(id: 1) { id } team { id } }', 'user'],
  ['# { a }\nquery Q($a: In = { b: { c: "}" } }) @on(a: { d: 1 }) { user }', 'user'],
  ['mutation { mine: saveTeam(input: {}) { id } }', 'saveTeam'],
  ['{ ... @include(if: true) { ... on Query { user } } }', 'user'],
  ['fragment A on Query { team { id } } { ...B } fragment B on Query { ...A }', 'team'],
  ['query A { first } query B { second }', 'first'],
  ['{ fragment }', 'fragment'],
  ['{ on: team }', 'team'],
])('the name of `%s` is `%s`', (query, name) => {
  expect(nameOf(query)).toBe(name)
})

test.each([
  '',
  '{',
  '}',
  '{ }',
  '{ "a" }',
  '{ ...A }',
  '{ ...A } fragment A on Query { ...A }',
  '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
  'query (',
  '"""',
  `query (${'$a: Int '.repeat(100_000)}) { a }`,
])('a document without a first field has the name `graphql` (%#)', query => {
  expect(nameOf(query)).toBe('graphql')
})

test('only the beginning of a long document is read', () => {
  expect(nameOf(`${' '.repeat(2_000_000)}{ user }`)).toBe('graphql')
  expect(nameOf(`${'\n'.repeat(2_000_000)}fragment A on Query { ...A } { ...A }`)).toBe('graphql')
})

test.each([
  ['https://other.test/graphql', 'other.test:443'],
  ['http://user:secret@other.test/graphql', 'other.test:80'],
  ['https://[::1]:8080/', '[::1]:8080'],
  ['no url', 'graphql'],
])('a call of `%s` has the name `%s`', (url, name) => {
  expect(nameCall({ query: '{ a }', url })).toBe(name)
})

test('a long name is cut', () => {
  expect(nameOf(`{ ${'a'.repeat(1_000_000)} }`)).toHaveLength(100)
})
