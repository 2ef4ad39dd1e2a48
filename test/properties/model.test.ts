import { afterAll, beforeAll, expect, test } from 'vitest'
import { findLastFaults } from './judge/find-last-faults.ts'
import {
  type Addressed,
  allUsedIds,
  applyInSomeOrder,
  emptyModel,
  type Outcome,
} from './model/membership-model.ts'
import { history, type Operation } from './model/membership-operations.ts'
import { toSent } from './model/send-operation.ts'
import { type GatewayUnderTest, startGatewayUnderTest } from './plan/gateway-under-test.ts'
import { casesOf, checkProperty, timeLimitMs } from './plan/property-plan.ts'
import { showRequest } from './wire/wire-request.ts'

let gateway: GatewayUnderTest
let lastCase = 0

beforeAll(async () => {
  gateway = await startGatewayUnderTest()
})
afterAll(() => gateway.stop())

const maxAtOnce = 4

// Beyond the ids given out: one that is not likely to be, of the same length.
const missingId = 99_999_999

function address(operation: Operation, usedIds: readonly number[]): Addressed {
  const ids = [...usedIds.slice(-6), missingId]
  return { ...operation, id: usedIds.at(-1 - operation.target) ?? missingId, ids }
}

test(`${casesOf('model')} histories of two accounts, some of it at once, go as a map of rows says`, {
  timeout: timeLimitMs,
}, async context => {
  await checkProperty(context, {
    name: 'model',
    arbitrary: history,
    async check(steps, lane) {
      const number = lastCase++
      const tokens = {
        a: await gateway.tokenOf(`model-a-${number}`),
        b: await gateway.tokenOf(`model-b-${number}`),
      }

      async function send(operation: Addressed, index: number) {
        const { request, read } = toSent(operation, tokens[operation.account])
        const answer = await gateway.client(lane * maxAtOnce + index).send(request)
        const outcome: Outcome | null = answer === null ? null : read(answer)
        if (outcome === null)
          throw new Error(`${showRequest(request)}\n---\n${answer?.status} ${answer?.text}`)
        return { operation, outcome }
      }

      let model = emptyModel
      for (const step of steps) {
        const usedIds = allUsedIds(model)
        const done = await Promise.all(step.map((operation, i) => send(address(operation, usedIds), i)))
        const next = applyInSomeOrder(model, done)
        if (next === null) {
          const before = JSON.stringify({ a: [...model.rows.a.values()], b: [...model.rows.b.values()] })
          throw new Error(
            `no order explains\n${done.map(each => JSON.stringify(each)).join('\n')}\nafter ${before}`,
          )
        }
        model = next
      }
      const client = gateway.client(lane * maxAtOnce)
      expect(await findLastFaults({ client, model, tokens, missingId })).toEqual([])
    },
  })
  expect(await gateway.findDamage()).toEqual([])
})
