import { GraphQLError } from 'graphql'
import { builder } from './builder.ts'

const outputOnly = (name: string) => (): never => {
  throw new GraphQLError(`\`${name}\` is an output type; it cannot be used as input.`)
}

builder.scalarType('JSON', {
  description: 'Any JSON value. Output only.',
  serialize: value => value,
  parseValue: outputOnly('JSON'),
  parseLiteral: outputOnly('JSON'),
})

builder.scalarType('DateTime', {
  description: 'A UTC time as ISO 8601 text, for example `2026-11-20T10:00:00.000Z`. Output only.',
  serialize: date => date.toISOString(),
  parseValue: outputOnly('DateTime'),
  parseLiteral: outputOnly('DateTime'),
})
