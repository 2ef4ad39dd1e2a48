import { GraphQLError } from 'graphql'
import { builder } from './builder.ts'

const outputOnly = (name: string) => (): never => {
  throw new GraphQLError(`\`${name}\` is a type of answers; it cannot be given as input.`)
}

builder.scalarType('JSON', {
  description: 'Any JSON value. In answers only.',
  serialize: value => value,
  parseValue: outputOnly('JSON'),
  parseLiteral: outputOnly('JSON'),
})

builder.scalarType('DateTime', {
  description: 'A moment in UTC as ISO 8601 text, for example `2026-11-20T10:00:00.000Z`. In answers only.',
  serialize: date => date.toISOString(),
  parseValue: outputOnly('DateTime'),
  parseLiteral: outputOnly('DateTime'),
})
