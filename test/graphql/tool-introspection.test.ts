import { getIntrospectionQuery, type IntrospectionOptions } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/schema/index.ts'
import { boundsPastHalf, shareOfBounds } from './share-of-bounds.ts'

const everyOption: Required<IntrospectionOptions> = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
  typeDepth: 9,
}

test.each<[string, IntrospectionOptions]>([
  ['without options', {}],
  ['with every option', everyOption],
])('the introspection of graphql-js %s costs nothing and stays under half of every bound', (_, options) => {
  const query = getIntrospectionQuery(options)
  expect(shareOfBounds(query).cost).toBe(0)
  expect(boundsPastHalf(query)).toEqual([])
})

test('the measure sees what a query has of each bound', () => {
  const query =
    '{ a: __schema { types { name } } viewer { userId } ...F } fragment F on Query { viewer { email } }'
  expect(shareOfBounds(query)).toEqual({
    aliases: 1 / 100,
    aliasCharacters: 1 / 100,
    directives: 0,
    fragments: 1 / 200,
    variables: 0,
    rootFields: 3 / 50,
    depth: 2 / 15,
    introspectionDepth: 3 / 32,
    introspectionNesting: 0,
    tokens: expect.closeTo(29 / 5_000),
    lines: 1 / 20_000,
    cost: 4 / 200_000,
    introspectionFields: (2 + Object.keys(schema.getTypeMap()).length) / 20_000,
    introspectionBytes: expect.any(Number),
    pairs: 1 / 50_000,
    visits: expect.any(Number),
  })
})
