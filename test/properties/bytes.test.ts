import { afterAll, beforeAll, expect, test } from 'vitest'
import { contractRoutes } from './judge/contract-routes.ts'
import { graphqlBody } from './judge/contract-shapes.ts'
import { findCommonFaults, findProblemFaults } from './judge/judge-answer.ts'
import { type GatewayUnderTest, startGatewayUnderTest } from './plan/gateway-under-test.ts'
import { casesOf, checkProperty, timeLimitMs } from './plan/property-plan.ts'
import { byteCase, toDamagedBytes } from './wire/byte-cases.ts'
import { sendBytes } from './wire/send-bytes.ts'
import type { WireAnswer } from './wire/wire-answer.ts'

let gateway: GatewayUnderTest

beforeAll(async () => {
  gateway = await startGatewayUnderTest()
})
afterAll(() => gateway.stop())

// Which route a damaged request was for is not known any more: any shape of the contract with its status will do.
function findFaults(answer: WireAnswer): string[] {
  const judged = { answer, isHead: false, secrets: gateway.secrets }
  const { status, json, headers } = answer
  const fits = contractRoutes.some(({ bodies, isPage }) => {
    const shape = bodies[status]
    return shape === null
      ? answer.text === ''
      : shape?.safeParse(isPage === true ? answer.text : json).success
  })
  const isGraphql = /^application\/(graphql-response\+)?json/.test(headers.get('content-type') ?? '')
  const isFine = fits || (isGraphql && graphqlBody.safeParse(json).success)
  return [...findCommonFaults(judged), ...(isFine ? [] : findProblemFaults(judged))]
}

test(`${casesOf('bytes')} connections of damaged bytes get whole answers of the contract, or none`, {
  timeout: timeLimitMs,
}, async context => {
  await checkProperty(context, {
    name: 'bytes',
    // Most of the time of a case is waiting.
    lanes: 8,
    arbitrary: byteCase,
    async check(sample) {
      const bytes = toDamagedBytes(sample, gateway.tokens.good)
      const expected = sample.damages.length === 0 ? sample.requests.length : null
      const { answers, rest } = await sendBytes({ url: gateway.url, bytes, expected })
      const faults = answers.flatMap(findFaults)
      if (rest !== '') faults.push(`after the last answer: ${rest}`)
      if (expected !== null && answers.length !== expected) {
        faults.push(`${answers.length} answers to ${expected} whole requests`)
      }
      const shown = answers.map(({ status, text }) => `${status} ${text}`).join('\n')
      expect(faults, `${bytes.toString('latin1')}\n---\n${shown}`).toEqual([])
    },
  })
  expect(await gateway.findDamage()).toEqual([])
})
