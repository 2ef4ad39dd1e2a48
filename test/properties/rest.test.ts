import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, startGatewayUnderTest } from './plan/gateway-under-test.ts'
import { casesOf, checkProperty, timeLimitMs } from './plan/property-plan.ts'
import { restCase } from './rest/rest-cases.ts'

let gateway: GatewayUnderTest

beforeAll(async () => {
  gateway = await startGatewayUnderTest()
})
afterAll(() => gateway.stop())

test(
  `${casesOf('rest')} REST requests, good and bad, get what the contract says`,
  async context => {
    await checkProperty(context, { name: 'rest', arbitrary: restCase, check: gateway.exchange })
    expect(await gateway.findDamage()).toEqual([])
  },
  timeLimitMs,
)
