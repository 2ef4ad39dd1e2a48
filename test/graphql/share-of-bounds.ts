import { getOperationAST, parse } from 'graphql'
import { bounds } from '../../src/graphql/bounds/bounds.ts'
import { createIntrospectionMeasure } from '../../src/graphql/bounds/introspection-size.ts'
import { fragmentsOf } from '../../src/graphql/bounds/measure-selections.ts'
import { createPricing } from '../../src/graphql/bounds/operation-cost.ts'
import { countRepetition, maxRepetition } from '../../src/graphql/bounds/refuse-repetition.ts'
import { measureShape } from '../../src/graphql/bounds/refuse-shape.ts'
import { schema } from '../../src/schema/index.ts'

const price = createPricing(schema)
const measureIntrospection = createIntrospectionMeasure(schema)

/** Returns which part of each bound a query without variables takes: 1 is the bound itself. */
export function shareOfBounds(query: string): Record<string, number> {
  const document = parse(query)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('expected one operation')
  const fragments = fragmentsOf(document)
  const introspection = measureIntrospection({ operation, fragments })
  const repetition = countRepetition(document, fragments)
  const found = {
    ...measureShape(document, fragments),
    tokens: document.tokenCount ?? 0,
    lines: query.split('\n').length,
    cost: price({ operation, fragments, variables: {} }),
    introspectionFields: introspection.fields,
    introspectionBytes: introspection.bytes,
  }
  const shares = Object.entries(found).map(([bound, count]) => [
    bound,
    count / bounds[bound as keyof typeof found],
  ])
  return {
    ...Object.fromEntries(shares),
    pairs: repetition.pairs / maxRepetition.pairs,
    visits: repetition.visits / maxRepetition.visits,
  }
}

export function boundsPastHalf(query: string): [string, number][] {
  return Object.entries(shareOfBounds(query)).filter(([, share]) => share >= 0.5)
}
