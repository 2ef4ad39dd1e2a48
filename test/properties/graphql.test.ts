import { afterAll, beforeAll, expect, test } from 'vitest'
import { graphqlCase, paramsCase, tokensCase } from './graphql/graphql-cases.ts'
import { type GatewayUnderTest, startGatewayUnderTest } from './plan/gateway-under-test.ts'
import { checkProperty, timeLimitMs } from './plan/property-plan.ts'

let gateway: GatewayUnderTest

beforeAll(async () => {
  gateway = await startGatewayUnderTest()
})
afterAll(() => gateway.stop())

test.for([
  ['graphql', 'documents made from the schema', graphqlCase],
  ['graphqlParams', 'GraphQL requests with parameters of every shape', paramsCase],
  ['tokens', 'texts of loose GraphQL tokens', tokensCase],
] as const)(
  '%s: %s get what the contract says',
  { timeout: timeLimitMs },
  async ([name, , arbitrary], context) => {
    await checkProperty(context, { name, arbitrary, check: gateway.exchange })
    expect(await gateway.findDamage()).toEqual([])
  },
)
