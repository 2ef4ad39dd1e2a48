import { afterAll, beforeAll, expect, test } from 'vitest'
import { executeCase } from './plan/execute-cases.ts'
import { type GatewayUnderTest, startGatewayUnderTest } from './plan/gateway-under-test.ts'
import { casesOf, checkProperty, timeLimitMs } from './plan/property-plan.ts'

let gateway: GatewayUnderTest

beforeAll(async () => {
  gateway = await startGatewayUnderTest()
})
afterAll(() => gateway.stop())

test(`${casesOf('execute')} tasks, good and bad, as JSON and as forms, get what the contract says`, {
  timeout: timeLimitMs,
}, async context => {
  await checkProperty(context, {
    name: 'execute',
    arbitrary: executeCase,
    check: gateway.exchange,
    lanes: 2,
  })
  expect(await gateway.findDamage()).toEqual([])
})
