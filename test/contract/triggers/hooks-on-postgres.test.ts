import { beforeAll, describe, expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { saveTask } from '../../http/rest/save-task.ts'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareReplicas } from '../../server/gateways/share-server.ts'

let gateways: readonly [SharedServer, SharedServer]
beforeAll(async () => {
  gateways = await shareReplicas()
})

interface Body {
  readonly case: { readonly id: number; readonly version: number; readonly data: Record<string, unknown> }
}

const create = (caseTypeCode: string) =>
  gateways[0].rest<Body>('POST', '/platform/cases', {
    body: { case: { case_type_code: caseTypeCode, data: {} } },
  })

test('two gateways that save one case with slow hooks lose no field and no run', async () => {
  const { id } = (await create('slow')).body.case
  const script = 'const end = Date.now() + 30; while (Date.now() < end); exit({ ...payload, seen: true })'
  await saveHook(gateways[0], script, { caseTypeCode: 'slow' })
  const merges = Array.from({ length: 20 }, (_, index) =>
    (gateways[index % 2] ?? gateways[0]).rest<Body>('PATCH', `/platform/cases/${id}`, {
      body: { case: { data: { [`f${index}`]: index } } },
    }),
  )
  expect((await Promise.all(merges)).map(({ status }) => status)).toEqual(Array(20).fill(200))
  const { body } = await gateways[1].rest<Body>('GET', `/platform/cases/${id}`)
  expect([body.case.version, Object.keys(body.case.data).length]).toEqual([21, 21])
  const query = `{ case(id: ${id}) { runs(first: 100) { edges { node { state outcome } } } } }`
  interface Runs {
    readonly case: {
      readonly runs: { readonly edges: { readonly node: { state: string; outcome: string } }[] }
    }
  }
  const answer = await gateways[1].graphql<Runs>(query)
  const states = answer.body.data?.case.runs.edges.map(({ node }) => node.state) ?? []
  expect(states.filter(state => state === 'ENDED')).toHaveLength(20)
  expect(states.every(state => state === 'ENDED' || state === 'SUPERSEDED')).toBe(true)
})

describe('the run that an answer names can be read at the other gateway at once', () => {
  const readAtOther = async (runId: string) => {
    const { body } = await gateways[1].graphql(`{ run(id: "${runId}") { state message } }`)
    return body.data?.run
  }
  const refused = { state: 'ENDED', message: 'No.' }

  test('after many refused saves at once, over REST and GraphQL', async () => {
    await saveHook(gateways[0], "fail('No.')", { caseTypeCode: 'refused' })
    const body = { case: { case_type_code: 'refused', data: {} } }
    const document = 'mutation { saveCase(input: {caseTypeCode: "refused", data: {}}) { saved } }'
    const rest = async () =>
      (await gateways[0].rest<{ run_id: string }>('POST', '/platform/cases', { body })).body.run_id
    const graphql = async () =>
      String((await gateways[0].graphql(document)).body.errors?.[0]?.extensions?.runId)
    const readings = Array.from({ length: 20 }, async (_, index) =>
      readAtOther(await (index % 2 === 0 ? rest() : graphql())),
    )
    expect(await Promise.all(readings)).toEqual(Array(20).fill(refused))
  })

  test('after a task that saves nothing', async () => {
    const { id } = (await create('tasked')).body.case
    const sources = { fails: "fail('No.')", skips: 'exit(null)' }
    const executions = []
    for (const [name, sourceCode] of Object.entries(sources)) {
      await saveTask(gateways[0], sourceCode, { caseTypeCode: 'tasked', name })
      const path = `/api/1/case/${id}/task/${name}`
      const { body } = await gateways[0].rest<ExecutionBody>('POST', path, { body: {} })
      executions.push(await readAtOther(body.task_execution.id))
    }
    expect(executions).toEqual([refused, { state: 'ENDED', message: null }])
  })
})

test('a hook that one gateway saves holds at the other from the next save on', async () => {
  const { id } = (await create('shared')).body.case
  const save = () =>
    gateways[1].rest<{ readonly detail: string }>('PUT', `/platform/cases/${id}`, {
      body: { case: { data: { a: 1 } } },
    })
  expect((await save()).status).toBe(200)
  await saveHook(gateways[0], "fail('No.')", { caseTypeCode: 'shared' })
  const { status, body } = await save()
  expect([status, body.detail]).toEqual([422, 'No.'])
})
