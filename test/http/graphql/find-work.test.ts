import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { expect, test } from 'vitest'
import { findRunFields } from '../../../src/graphql/engine.ts'
import { createDocumentWorkFinder, findRouteWork } from '../../../src/http/idempotency/find-work.ts'
import { restRoutes } from '../../../src/http/rest/rest-routes.ts'
import { mutation, record } from '../../../src/operations/operation.ts'
import { schema } from '../../../src/schema/index.ts'

const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})

// If a gateway dies in the middle of one, nothing is stored but what its idempotency steps have committed.
const repeatable = [
  'addTeamMembership',
  'addTeamMemberships',
  'cancelQueuedRun',
  'deleteCase',
  'makeVersionLive',
  'moveTeamMembership',
  'moveTeamMemberships',
  'removeCaseTask',
  'removeFunction',
  'removeHook',
  'removeTeamMembership',
  'removeTeamMemberships',
  'removeWebhook',
  'retryQueuedRun',
  'retryQueuedRuns',
  'rotateWebhookSecret',
  'saveCase',
  'saveCaseTask',
  'saveCaseType',
  'saveFunction',
  'saveHook',
  'saveTeam',
  'saveUser',
  'saveWebhook',
]

test('every mutation is one that starts a run and says so, or one that can be made again', () => {
  const runFields = findRunFields(schema)
  expect([...runFields].sort()).toEqual(['executeTask', 'replayRun', 'runCaseTask', 'runFunction'])
  expect(mutations.filter(name => !runFields.has(name)).sort()).toEqual(repeatable)
})

test('each mutation that starts a run is known to GraphQL, also by an alias or in a fragment', () => {
  const findWork = createDocumentWorkFinder(findRunFields(schema))
  for (const name of mutations) {
    const work = { mayRun: !repeatable.includes(name) }
    for (const query of [
      `mutation { ${name} { id } }`,
      `mutation M { other: ${name}(id: 1) { id } }`,
      `mutation { ...Rest }\nfragment Rest on Mutation { saveTeam { id } a:${name}{id} }`,
      `fragment Rest on Mutation{${name}}mutation{...Rest}`,
    ])
      expect(findWork(query), query).toEqual(work)
  }
  expect(findWork('{ runs { nodes { id } } }')).toBe(null)
})

test('each REST path knows whether its mutation starts a run', () => {
  const runFields = findRunFields(schema)
  const known = restRoutes.map(row => [row, findRouteWork(row.operation, runFields)] as const)
  for (const [{ method, operation }, work] of known) {
    const mayRun = !repeatable.includes(operation.field)
    expect(work, operation.field).toEqual(method === 'GET' ? null : { mayRun })
  }
  const running = known.filter(([, work]) => work?.mayRun).map(([{ path }]) => path)
  expect(running).toHaveLength(3)
})

test('a mutation that is added with `startsRun` is known to both', () => {
  const type = new GraphQLNonNull(GraphQLString)
  const grown = new GraphQLSchema({
    mutation: new GraphQLObjectType({
      name: 'Mutation',
      fields: { runNightly: { type, extensions: { startsRun: true } }, runNightlyLater: { type } },
    }),
  })
  const runFields = findRunFields(grown)
  const findWork = createDocumentWorkFinder(runFields)
  expect(findWork('mutation { a: runNightly }')).toEqual({ mayRun: true })
  expect(findWork('mutation { a: runNightlyLater }')).toEqual({ mayRun: false })
  const row = { variables: {}, answer: record('run', { id: 'id' }) }
  const route = mutation({ ...row, field: 'runNightly' })
  expect(findRouteWork(route, runFields)).toEqual({ mayRun: true })
})
