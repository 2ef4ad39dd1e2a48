import { afterAll, beforeAll, expect, test } from 'vitest'
import { graphqlBody, problemBody } from './judge/contract-shapes.ts'
import { type Twins, twins } from './model/two-sides-cases.ts'
import { type GatewayUnderTest, startGatewayUnderTest } from './plan/gateway-under-test.ts'
import { casesOf, checkProperty, timeLimitMs } from './plan/property-plan.ts'
import type { WireAnswer } from './wire/wire-answer.ts'

let gateway: GatewayUnderTest

beforeAll(async () => {
  gateway = await startGatewayUnderTest()
})
afterAll(() => gateway.stop())

async function ask(lane: number, method: string, target: string, body?: unknown): Promise<WireAnswer> {
  const answer = await gateway.client(lane).send({
    method,
    target,
    headers: [
      ['Authorization', `Bearer ${await tokenOf(lane)}`],
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
  })
  if (answer === null) throw new Error(`closed without an answer to ${method} ${target}`)
  return answer
}

// An account for each lane, since nobody else may come between the two.
const tokenOf = (lane: number) => gateway.tokenOf(`twins-${lane}`)

function fromRest({ member }: Twins, { json, status }: WireAnswer) {
  const problem = problemBody.safeParse(json).data
  if (problem === undefined)
    return status < 300 ? { value: (json as Record<string, unknown>)[member] } : { status }
  const { code, detail, errors = [], existing_id } = problem
  // GraphQL answers null for what it does not find.
  return code === 'NOT_FOUND' ? { code } : { code, detail, errors, existing_id }
}

function fromGraphql(sample: Twins, { json }: WireAnswer) {
  const { data, errors: [error] = [] } = graphqlBody.parse(json)
  if (error === undefined)
    return data?.it == null ? { code: 'NOT_FOUND' } : { value: renameKeys(sample, data.it) }
  const { code, errors = [], existingId } = error.extensions
  if (code === 'NOT_FOUND') return { code }
  return { code, detail: error.message, errors, existing_id: existingId }
}

// Ids are text on the one side and numbers on the other; a field has its own name on each.
function renameKeys({ names }: Twins, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => renameKeys({ names } as Twins, item))
  const entries = Object.entries(value as object).map(([key, item]) => [
    names[key] ?? key,
    /^(id|userId|teamId)$/.test(key) ? Number(item) : item,
  ])
  return Object.fromEntries(entries)
}

// What the REST side refuses before GraphQL is asked has its own words; the code must be the same.
const saidByDoor = /^(`\/|The body|Give `user_id`)/

test(`${casesOf('twoSides')} requests get the same answer over REST and GraphQL`, {
  timeout: timeLimitMs,
}, async context => {
  await checkProperty(context, {
    name: 'twoSides',
    arbitrary: twins,
    async check(sample, lane) {
      const { method, target, body } = sample.rest
      const rest = fromRest(sample, await ask(lane, method, target, body))
      const graphql = fromGraphql(sample, await ask(lane, 'POST', '/graphql', sample.graphql))
      const isOwnWords = saidByDoor.test(rest.detail ?? '')
      const [left, right] = isOwnWords
        ? [rest.code, 'code' in graphql ? graphql.code : 'none']
        : [withLastNames(rest), withLastNames(graphql)]
      expect(right, JSON.stringify(sample)).toEqual(left)
    },
  })
  expect(await gateway.findDamage()).toEqual([])
})

// Pointers and the names in a text lead to the same field from different roots: the last part is compared.
function withLastNames(outcome: object): string {
  return JSON.stringify(outcome)
    .replace(/[\w/]*\b(displayName|display_name)\b/g, '/display_name')
    .replace(/[\w/]*\b(caseTypeCode|case_type_code)\b/g, '/case_type_code')
    .replace(/"\/(user|team)\//g, '"/')
    .replace(/`(user|team)\//g, '`')
}
