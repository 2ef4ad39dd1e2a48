import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphqlCase } from '../graphql/graphql-cases.ts'
import { chooseParams } from '../graphql/graphql-documents.ts'
import { chosen } from '../values/chooser.ts'
import { checkProperty, shares, totalCases } from './property-plan.ts'

test('every property has a share of the cases', () => {
  expect(totalCases).toBeGreaterThanOrEqual(1_000)
  expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBe(100)
})

test('a property that does not hold fails, made small, with what repeats it', async context => {
  let looks = 0
  const run = checkProperty(context, {
    name: 'model',
    arbitrary: fc.array(fc.nat()),
    async check(numbers) {
      looks += 1
      if (numbers.length > 2) throw new Error(`${numbers.length} numbers`)
    },
    lanes: 1,
  })
  await expect(run).rejects.toThrow(
    /^Repeat with PROPERTY_SEED=-?\d+ PROPERTY_PATH=[\d:]+ \(model\)\.\n3 numbers$/,
  )
  expect(looks).toBeGreaterThan(1)
})

test('documents are of every kind, and many of them have variables, aliases, fragments and directives', () => {
  const texts = fc.sample(chosen(chooseParams), 2_000).map(({ query }) => query)
  const share = (pattern: RegExp) => texts.filter(text => pattern.test(text)).length / texts.length
  expect(share(/^mutation/)).toBeGreaterThan(0.15)
  expect(share(/^query/)).toBeGreaterThan(0.3)
  for (const pattern of [/\$v0/, /\w: \w+\s*[({]/, /\.\.\.F0/, /\.\.\. on/, /@(include|skip)/]) {
    expect(share(pattern)).toBeGreaterThan(0.05)
  }
  expect(fc.sample(graphqlCase, 200).some(({ method }) => method === 'GET')).toBe(true)
})
