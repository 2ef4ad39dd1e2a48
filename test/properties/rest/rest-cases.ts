import fc from 'fast-check'
import { goodId, idText, smallId } from '../values/id-texts.ts'
import { jsonBodies, noBody, perhapsDamaged, rarely } from '../wire/wire-bodies.ts'
import { type WireCase, wireCases } from '../wire/wire-case.ts'
import { entityTag } from '../wire/wire-headers.ts'
import { escaped, knownTarget, memberships, nearTarget, oddQuery, one } from './rest-targets.ts'

const few = fc.integer({ min: 1, max: 3 })

const pair = fc.record({ team_membership: fc.record({ user_id: few, team_id: smallId }) })

const change = fc.record({
  team_membership: fc.oneof(
    fc.record({ user_id: goodId, team_id: goodId }),
    fc.record({ user_id: few }),
    fc.record({ team_id: smallId }),
    fc.record({ user_id: few, team_id: smallId, leader: fc.boolean(), id: goodId }),
  ),
})

const detail = fc.oneof(fc.constantFrom(null, 'ann@example.com', '', 'x'), fc.string({ maxLength: 30 }))
const user = fc.record({
  user: fc.record({ email: detail, display_name: detail }, { requiredKeys: [] }),
})
const team = fc.record({ team: fc.record({ name: detail }, { requiredKeys: [] }) })

// Each compiles at once, or does not.
const source = fc.constantFrom('exit(1)', 'exit(payload)', 'exit(', '', '1', '"\0"', '// \u2028', '\ufeff1')
const savedFunction = fc.record({
  function: fc.record(
    { source_code: source, comment: detail, make_live: fc.option(fc.boolean()) },
    { requiredKeys: ['source_code'] },
  ),
})
const sourceType = fc.constantFrom(
  null,
  'text/javascript',
  'application/javascript; charset=utf-8',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
)
const wholeSource = fc.record({
  bytes: perhapsDamaged(source),
  contentType: sourceType,
  chunked: fc.boolean(),
})
const functionName = fc.constantFrom(
  'a',
  'b',
  'a.b-c_1',
  'x'.repeat(64),
  'x'.repeat(65),
  '-',
  '%C3%A4',
  '%00',
  '',
)
const functionQuery = fc.constantFrom(
  '',
  '',
  '?case_type_code=incident',
  '?make_live=false&comment=x',
  '?make_live=1',
  '?case_type_code=',
  '?comment=%ff',
  '?x=1&case_type_code=a&case_type_code=b',
)
const storedFunction = fc
  .tuple(functionName, functionQuery)
  .map(([name, query]) => `/platform/functions/${name}${query}`)

const idName = fc.constantFrom('ids[]', 'ids%5B%5D', 'ids%5b]', 'ids[]', 'ids', 'ids[0]', 'IDS[]', 'ids[][]')
const idsQuery = fc
  .array(fc.tuple(idName, escaped(idText)), { maxLength: 6 })
  .map(items => `${memberships}?${items.map(([name, id]) => `${name}=${id}`).join('&')}`)
const manyIds = fc
  .tuple(fc.integer({ min: 1, max: 1_500 }), fc.integer({ min: 1, max: 1_200 }))
  .map(
    ([first, count]) =>
      `${memberships}?${Array.from({ length: count }, (_, i) => `ids[]=${first + i}`).join('&')}`,
  )

const get = fc.constantFrom('GET', 'GET', 'GET', 'HEAD')
const ifMatch = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: entityTag.map(tag => [['If-Match', tag] as const]) },
)

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']

const anything = wireCases({
  method: fc.constantFrom(...methods),
  target: fc.oneof(knownTarget, nearTarget, one(memberships), one('/platform/users')),
  body: fc.oneof(noBody, jsonBodies(pair)),
  headers: ifMatch,
})

// A body where none belongs is drained, and must not be taken for the next request.
const oddBody = rarely.chain(odd => (odd ? jsonBodies(pair) : noBody))

/** Requests to every path of the REST table, near its valid ones and far from them. */
export const restCase: fc.Arbitrary<WireCase> = fc.oneof(
  { weight: 3, arbitrary: wireCases({ method: get, target: idsQuery, body: oddBody }) },
  { weight: 1, arbitrary: wireCases({ method: get, target: manyIds, body: noBody }) },
  { weight: 3, arbitrary: wireCases({ method: get, target: one(memberships), body: oddBody }) },
  {
    weight: 5,
    arbitrary: wireCases({
      method: fc.constant('POST'),
      target: oddQuery.map(query => memberships + query),
      body: jsonBodies(pair),
    }),
  },
  {
    weight: 5,
    arbitrary: wireCases({
      method: fc.constant('PUT'),
      target: one(memberships),
      body: jsonBodies(change),
      headers: ifMatch,
    }),
  },
  {
    weight: 2,
    arbitrary: wireCases({
      method: fc.constant('DELETE'),
      target: one(memberships),
      body: oddBody,
      headers: ifMatch,
    }),
  },
  { weight: 1, arbitrary: wireCases({ method: get, target: one('/platform/users'), body: noBody }) },
  { weight: 1, arbitrary: wireCases({ method: get, target: one('/platform/teams'), body: noBody }) },
  {
    weight: 2,
    arbitrary: wireCases({
      method: fc.constant('PUT'),
      target: one('/platform/users'),
      body: jsonBodies(user),
    }),
  },
  {
    weight: 2,
    arbitrary: wireCases({
      method: fc.constant('PUT'),
      target: one('/platform/teams'),
      body: jsonBodies(team),
    }),
  },
  {
    weight: 2,
    arbitrary: wireCases({
      method: fc.constantFrom('PUT', 'PUT', 'PUT', 'DELETE'),
      target: storedFunction,
      body: fc.oneof(wholeSource, jsonBodies(savedFunction)),
      headers: ifMatch,
    }),
  },
  { weight: 1, arbitrary: wireCases({ method: get, target: storedFunction, body: noBody }) },
  { weight: 4, arbitrary: anything },
)
