// A script may have done anything before its request failed, so its key never lets it run again. Hooks of a save that
// was not stored are the exception.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { type Gate, startGate } from '../../server/processes/start-gate.ts'
import { until } from '../../server/processes/until.ts'

let gate: Gate
let server: TestServer
beforeAll(async () => {
  gate = await startGate()
  server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: gate.host, ROSTRUM_QUEUE_BYTES: '50000' })
})
afterAll(async () => {
  await Promise.all([server.stop(), gate.close()])
})

let count = 0

/** A case with a task. Its script saves another case of a type of its own, and then does the rest. */
async function makeTask(rest: string) {
  count += 1
  const [type, effectType] = [`type-${count}`, `effect-${count}`]
  const effect = `await Platform.cases.save({ case_type_code: '${effectType}', data: {} })`
  const save = async <Saved>(mutation: string, variables: Record<string, unknown> = {}): Promise<Saved> => {
    const { body, text } = await server.graphql<Saved>(mutation, variables)
    return body.data ?? expect.unreachable(text)
  }
  const input = { name: `f-${count}`, sourceCode: `${effect}; ${rest}` }
  await save('mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }', { input })
  await save(`mutation { saveCaseTask(input: { caseTypeCode: "${type}", name: "t", functionName: "f-${count}",
    scopes: ["cases:write", "cases:read"] }) { id } }`)
  const { saveCase } = await save<{ saveCase: { case: { id: string } } }>(
    `mutation { saveCase(input: { caseTypeCode: "${type}", data: { a: 1 } }) { case { id } } }`,
  )
  const effects = async () => {
    const query = `{ cases(filter: { caseTypeCode: "${effectType}" }) { nodes { id } } }`
    return (await save<{ cases: { nodes: unknown[] } }>(query)).cases.nodes.length
  }
  return { id: saveCase.case.id, type, effects }
}

type Ask = (id: string, key: string, signal?: AbortSignal) => Promise<Answer>

const doors: readonly [string, Ask][] = [
  [
    'REST',
    (id, key, signal) =>
      server.rest('POST', `/api/1/case/${id}/task/t`, {
        body: { params: {} },
        headers: { 'idempotency-key': key },
        ...(signal && { signal }),
      }),
  ],
  [
    'GraphQL',
    (id, key, signal) =>
      server.rest('POST', '/graphql', {
        body: {
          query: `mutation { runCaseTask(caseId: ${id}, name: "t") { execution { error { code } } } }`,
        },
        headers: { 'idempotency-key': key },
        ...(signal && { signal }),
      }),
  ],
]

describe.each(doors)('over %s', (door, ask) => {
  test('a task that ended with its client does not run again: the next one reads how it ended', async () => {
    const { id, effects } = await makeTask(`${gate.wait}; exit({ a: 2 })`)
    const gone = new AbortController()
    const before = gate.arrived()
    const cut = expect(ask(id, `cut-${door}`, gone.signal)).rejects.toThrow()
    await until(() => gate.arrived() > before)
    gone.abort()
    await cut
    const { headers, text } = await ask(id, `cut-${door}`)
    expect([headers.get('idempotency-replayed'), text]).toEqual(['true', expect.stringContaining('CRASHED')])
    expect(await effects()).toBe(1)
  })

  test('a task whose result could not be saved for now does not run again', async () => {
    const { id, type, effects } = await makeTask("exit({ big: 'x'.repeat(60000) })")
    await saveHook(server, 'exit(null)', { event: 'post-save', caseTypeCode: type })
    const first = await ask(id, `full-${door}`)
    expect([first.status, first.text]).toEqual([
      door === 'REST' ? 429 : 200,
      expect.stringContaining('OVERLOADED'),
    ])
    for (let again = 0; again < 2; again++) {
      const { status, text } = await ask(id, `full-${door}`)
      expect([status, text]).toEqual([409, expect.stringContaining('UNKNOWN_OUTCOME')])
    }
    expect(await effects()).toBe(1)
  })
})

test('a save that is refused for now runs its hooks again, as nothing of it is stored', async () => {
  const effect = "await Platform.cases.save({ case_type_code: 'hook-effect', data: {} }); exit(payload)"
  await saveHook(server, effect, { caseTypeCode: 'hooked', scopes: ['cases:write', 'cases:read'] })
  await saveHook(server, 'exit(null)', { event: 'post-save', caseTypeCode: 'hooked' })
  const body = { case: { case_type_code: 'hooked', data: { big: 'x'.repeat(60_000) } } }
  for (let effects = 1; effects <= 2; effects++) {
    const { status } = await server.rest('POST', '/platform/cases', {
      body,
      headers: { 'idempotency-key': 'hooked' },
    })
    const query = '{ cases(filter: { caseTypeCode: "hook-effect" }) { nodes { id } } }'
    const found = await server.graphql<{ cases: { nodes: unknown[] } }>(query)
    expect([status, found.body.data?.cases.nodes.length]).toEqual([429, effects])
  }
})

test('a function whose client disconnects while it is compiled is saved when it is sent again', async () => {
  const put = (index: number, signal?: AbortSignal) =>
    server.rest('PUT', `/platform/functions/cut-${index}`, {
      body: `exit(${index})\n${'// a line\n'.repeat(3_000)}`,
      headers: { 'idempotency-key': `function-${index}`, 'content-type': 'text/javascript' },
      ...(signal && { signal }),
    })
  const indexes = Array.from({ length: 60 }, (_, index) => index)
  for (const index of indexes) await put(index, AbortSignal.timeout(index >> 2)).catch(() => undefined)
  const statuses = new Set<number>()
  for (const index of indexes) statuses.add((await put(index)).status)
  expect([...statuses].filter(status => ![200, 201].includes(status))).toEqual([])
})
