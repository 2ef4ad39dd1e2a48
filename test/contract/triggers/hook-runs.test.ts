import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { type HookOrder, saveHook as saveHookOf, startSandboxes } from '../../http/rest/save-hook.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'

let app: TestApp
let upstream: Upstream
let types = 0
// Called in the middle of each hook that calls the upstream, with the variables that the hook gives.
let during: (variables: Record<string, string>) => unknown = () => undefined

beforeAll(async () => {
  upstream = await startUpstream(async ({ body }, response) => {
    sendJson(response, { data: { answer: await during(JSON.parse(body).variables) } })
  })
  app = await startApp({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })
  await startSandboxes(app)
})
beforeEach(() => {
  during = () => undefined
})
afterAll(async () => {
  await app.close()
  await upstream.close()
})

const newType = () => `type-${++types}`
const saveHook = (sourceCode: string, order: HookOrder = {}) => saveHookOf(app, sourceCode, order)
const callUpstream = (variables = '{}') =>
  `(await graphql('{ x }', ${variables}, '${upstream.url}')).data.answer`

const create = async (caseTypeCode: string, data: object = {}) =>
  (
    await app.send('/platform/cases', {
      method: 'POST',
      body: { case: { case_type_code: caseTypeCode, data } },
    })
  ).body.case as { readonly id: number }

const put = (id: number, data: object, headers: Record<string, string> = {}) =>
  app.send(`/platform/cases/${id}`, { method: 'PUT', headers, body: { case: { data } } })

/** Saves from within a script, which waits for no turn. */
const saveFromWithin = (id: number, data: object) =>
  app.send('/api/1/endpoint/execute', {
    method: 'POST',
    body: {
      name: 'within',
      sourceCode: `exit(await Platform.cases.save(${JSON.stringify({ id, data, merge: true })}))`,
      inputDocument: {},
      options: {},
    },
  })

const fields = `id trigger event name functionVersion caseId caseVersion txnID txnSource attempt state outcome
  error { code } payload input scopes durationMs dryRun`

async function runsOf(caseId: number) {
  const { body, text } = await app.graphql(
    `{ case(id: ${caseId}) { runs(first: 5) { edges { node { ${fields} } } } } }`,
  )
  expect(body.errors, text).toBeUndefined()
  return body.data.case.runs.edges.map(({ node }: { node: object }) => node)
}

const saveCase = `mutation($input: SaveCaseInput!) {
  saveCase(input: $input) { case { id } saved txnID runs { ${fields} } }
}`

describe('the runs of a save', () => {
  test('are there with its answer, in their order, with all that is known of them', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    await saveHook('exit({ ...payload, first: 1 })', { caseTypeCode: type, name: `first-${type}` })
    await saveHook('exit({ ...payload, second: 2 })', { caseTypeCode: type, scopes: ['cases:read'] })
    const { body } = await app.graphql(saveCase, { input: { id, data: { a: 2 } } })
    const { txnID, runs } = body.data.saveCase
    expect(runs).toMatchObject([
      {
        trigger: 'HOOK',
        event: 'PRE_SAVE',
        name: `first-${type}`,
        functionVersion: expect.stringMatching(/^[0-9a-f]{64}$/),
        caseId: String(id),
        caseVersion: 1,
        txnID,
        txnSource: expect.stringMatching(new RegExp(`^hook\\|${type}/pre-save/first-${type}\\|`)),
        ...{ attempt: 1, state: 'ENDED', outcome: 'EXIT', scopes: [], dryRun: false },
        ...{ input: { a: 2 }, payload: { a: 2, first: 1 } },
      },
      { input: { a: 2, first: 1 }, payload: { a: 2, first: 1, second: 2 }, scopes: ['cases:read'] },
    ])
    expect(await runsOf(id)).toEqual(runs.toReversed())
  })

  test('of a creation have the id of the case that they made', async () => {
    const type = newType()
    await saveHook('exit(payload)', { caseTypeCode: type })
    const { id } = await create(type)
    expect(await runsOf(id)).toMatchObject([{ caseId: String(id), caseVersion: null, state: 'ENDED' }])
  })

  test('that is refused are there with its answer, with the id that the refusal names', async () => {
    const type = newType()
    const { id } = await create(type)
    await saveHook('exit(7)', { caseTypeCode: type })
    const { body } = await put(id, { a: 1 })
    expect(await runsOf(id)).toMatchObject([
      { id: body.run_id, txnID: body.txn_id, outcome: 'ERROR', error: { code: 'RESULT' }, payload: null },
    ])
  })

  test('that a script asked for and that is refused are there with its answer', async () => {
    const type = newType()
    await saveHook("fail('No.')", { caseTypeCode: type })
    const { body } = await app.send('/api/1/endpoint/execute', {
      method: 'POST',
      body: {
        name: 'asks',
        sourceCode: `const document = 'mutation { saveCase(input: { caseTypeCode: "${type}", data: {} }) { saved } }'
          const { runId } = (await graphql(document)).errors[0].extensions
          exit((await graphql('query($id: ID!) { run(id: $id) { message } }', { id: runId })).data.run)`,
        inputDocument: {},
        options: {},
      },
    })
    expect(body.task_execution.payload).toEqual({ message: 'No.' })
  })

  test('that changes nothing, and of a dry run, are kept and in its answer', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    await saveHook('exit({ a: 1 })', { caseTypeCode: type })
    const equal = await app.graphql(saveCase, { input: { id, data: { a: 2 } } })
    expect(equal.body.data.saveCase).toMatchObject({
      saved: false,
      runs: [{ outcome: 'EXIT', dryRun: false }],
    })
    const dry = await app.graphql(saveCase, { input: { id, data: { a: 2 }, dryRun: true } })
    expect(dry.body.data.saveCase).toMatchObject({ saved: false, runs: [{ outcome: 'EXIT', dryRun: true }] })
  })

  test('that goes on for 250 ms are listed as running, and end in the commit', async () => {
    const type = newType()
    await saveHook(`exit({ a: ${callUpstream()} })`, { caseTypeCode: type })
    const running: unknown[] = []
    during = async () => {
      const query = '{ runs(filter: { state: RUNNING }) { edges { node { id input outcome } } } }'
      await expect
        .poll(async () =>
          (await app.graphql(query)).body.data.runs.edges.map(({ node }: { node: object }) => node),
        )
        .toHaveLength(1)
      running.push(...(await app.graphql(query)).body.data.runs.edges)
      return 1
    }
    const { id } = await create(type, { a: 0 })
    const [run] = await runsOf(id)
    expect(running).toMatchObject([{ node: { id: run.id, input: { a: 0 }, outcome: null } }])
    expect(run).toMatchObject({ state: 'ENDED', outcome: 'EXIT', caseId: String(id), payload: { a: 1 } })
  })

  test('are in the answer again that is repeated under an idempotency key', async () => {
    const type = newType()
    await saveHook('exit(payload)', { caseTypeCode: type })
    const send = () =>
      app.send('/graphql', {
        method: 'POST',
        headers: { 'idempotency-key': `key-${type}` },
        body: { query: saveCase, variables: { input: { caseTypeCode: type, data: {} } } },
      })
    const first = await send()
    const again = await send()
    expect(first.body.data.saveCase.runs).toHaveLength(1)
    expect(again.body).toEqual(first.body)
  })
})

describe('a case that changes while a hook runs', () => {
  test('is saved again from the start, and the runs before are superseded', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
    let calls = 0
    during = () => (++calls === 1 ? saveFromWithin(id, { inner: true }) : undefined)
    const patch = { method: 'PATCH', body: { case: { data: { outer: true } } } }
    const { status, body } = await app.send(`/platform/cases/${id}`, patch)
    expect(status).toBe(200)
    expect(body.case).toMatchObject({ data: { a: 1, inner: true, outer: true }, version: 3 })
    await expect.poll(() => runsOf(id)).toHaveLength(3)
    const runs = (await runsOf(id)).filter(({ input }: { input: object }) => 'outer' in input)
    const of = (attempt: number) => runs.find((run: { attempt: number }) => run.attempt === attempt)
    expect([of(1), of(2)]).toMatchObject([
      { state: 'SUPERSEDED', outcome: 'EXIT', caseVersion: 1, input: { a: 1, outer: true } },
      { state: 'ENDED', outcome: 'EXIT', caseVersion: 2, input: { a: 1, inner: true, outer: true } },
    ])
    expect(of(1).txnID).toBe(of(2).txnID)
  })

  test('is 412 if the request gave a version', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
    let calls = 0
    during = () => (++calls === 1 ? saveFromWithin(id, { inner: true }) : undefined)
    const { status, body } = await put(id, { a: 2 }, { 'if-match': '"1"' })
    expect([status, body.code, body.reason, body.version]).toEqual([412, 'PRECONDITION_FAILED', 'VERSION', 2])
    expect(calls).toBe(2)
  })

  test('is 409 after three attempts, here because the hooks of its type change each time', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
    during = () => saveHook('exit(1)', { caseTypeCode: type, event: 'post-delete' })
    const { status, body } = await put(id, { a: 2 })
    expect([status, body.code, body.reason]).toEqual([409, 'CONFLICT', 'CASE_CHANGED'])
    const states = (await runsOf(id)).map(({ attempt, state }: { attempt: number; state: string }) => [
      attempt,
      state,
    ])
    expect(states.toSorted()).toEqual([
      [1, 'SUPERSEDED'],
      [2, 'SUPERSEDED'],
      [3, 'ENDED'],
    ])
  })

  test('never skips a hook that was saved before the commit', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
    let calls = 0
    during = () =>
      ++calls === 1 ? saveHook("fail('No.')", { caseTypeCode: type, position: 1 }).then(() => 1) : undefined
    const { status, body } = await put(id, { a: 2 })
    expect([status, body.detail]).toEqual([422, 'No.'])
  })
})

test('20 parallel merges with a slow hook all arrive, each with its run', async () => {
  const type = newType()
  const { id } = await create(type)
  await saveHook('const end = Date.now() + 30; while (Date.now() < end); exit(payload)', {
    caseTypeCode: type,
  })
  const merges = Array.from({ length: 20 }, (_, index) => {
    const body = { case: { data: { [`f${index}`]: index } } }
    return app.send(`/platform/cases/${id}`, { method: 'PATCH', body })
  })
  expect((await Promise.all(merges)).map(({ status }) => status)).toEqual(Array(20).fill(200))
  const { body } = await app.graphql(
    `{ case(id: ${id}) { version data runs(first: 50) { edges { node { state outcome caseVersion } } } } }`,
  )
  const { version, data, runs } = body.data.case
  expect([version, Object.keys(data).length, runs.edges.length]).toEqual([21, 20, 20])
  const versions = runs.edges.map(({ node }: { node: { caseVersion: number } }) => node.caseVersion)
  expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index))
})

test('what a hook makes of NUL, half a pair and keys of prototypes comes back as it was', async () => {
  const type = newType()
  const { id } = await create(type)
  await saveHook('exit(payload)', { caseTypeCode: type })
  const text = '{"case":{"data":{"a":"\\u0000\\ud800","constructor":1,"toString":{"hasOwnProperty":[]}}}}'
  const answer = await app.send(`/platform/cases/${id}`, { method: 'PUT', body: text })
  expect(answer.status).toBe(200)
  expect(answer.body.case.data).toEqual(JSON.parse(text).case.data)
  expect((await app.send(`/platform/cases/${id}`)).body.case.data).toEqual(JSON.parse(text).case.data)
})

test('a log entry names function, version, trigger, case and transaction', async () => {
  const type = newType()
  const { id } = await create(type)
  await saveHook("log('looked', payload.a); exit(payload)", { caseTypeCode: type, name: `logs-${type}` })
  await put(id, { a: 5 })
  const [run] = await runsOf(id)
  const lines = app.logLines.map(line => JSON.parse(line)).filter(line => line.run === run.id)
  const place = {
    ...{ function: `logs-${type}`, version: run.functionVersion, trigger: 'hook', event: 'pre-save' },
    ...{ case: id, txnID: run.txnID },
  }
  expect(lines).toMatchObject([
    { ...place, msg: 'log of a script', data: ['looked', 5] },
    { ...place, msg: 'task ended' },
  ])
})

describe('a request with the token of a hook', () => {
  test('has the rights of the hook, and may change other cases than its own', async () => {
    const type = newType()
    const [own, other] = [await create(type), await create(newType())]
    await saveHook(`exit({ answers: ${callUpstream('{ authorization: options.authorization }')} })`, {
      caseTypeCode: type,
      scopes: ['cases:write'],
    })
    during = async ({ authorization = '' }) => {
      const token = authorization.slice('Bearer '.length)
      const send = (path: string, method: string) =>
        app.send(path, { method, token, ...(method === 'PUT' && { body: { case: { data: { b: 1 } } } }) })
      const answers = [
        await send(`/platform/cases/${own.id}`, 'PUT'),
        await send(`/platform/cases/${own.id}`, 'DELETE'),
        await send(`/platform/cases/${other.id}`, 'PUT'),
        await send(`/platform/cases/${other.id}`, 'GET'),
      ]
      return answers.map(({ status }) => status)
    }
    const { body } = await put(own.id, { a: 1 })
    expect(body.case.data).toEqual({ answers: [409, 409, 200, 403] })
    const { body: read } = await app.graphql(
      `{ case(id: ${other.id}) { events { nodes { function txnID } } } }`,
    )
    const [run] = await runsOf(own.id)
    expect(read.data.case.events.nodes[1]).toEqual({ function: run.name, txnID: run.txnID })
  })
})

test('a hook whose caller lost the credential meanwhile is answered no more', async () => {
  const type = newType()
  const token = await app.issueToken('demo', ['cases:write'])
  const rest = `graphql('{ viewer { accountCode } }').then(() => 'answered', ({ code }) => code)`
  await saveHook(`${callUpstream()}; exit({ rest: await ${rest} })`, { caseTypeCode: type })
  during = async () => {
    const issued = await app.app.store.tokens.list('demo')
    const { id } = issued.at(-1) ?? { id: 0 }
    expect(await app.app.store.tokens.revoke(id)).toBe(true)
    return 1
  }
  const body = { case: { case_type_code: type, data: {} } }
  const answer = await app.send('/platform/cases', { method: 'POST', body, token })
  expect(answer.body.case.data).toEqual({ rest: 'UNAUTHENTICATED' })
  expect((await app.send('/platform/cases', { method: 'POST', body, token })).status).toBe(401)
})

test('what a hook saved elsewhere stands when its own save is refused', async () => {
  const [type, other] = [newType(), newType()]
  const inner = `Platform.cases.save({ case_type_code: '${other}', data: { kept: true } })`
  await saveHook(`await ${inner}; fail('x'.repeat(5000))`, { caseTypeCode: type, scopes: ['cases:write'] })
  const body = { case: { case_type_code: type, data: {} } }
  const refused = await app.send('/platform/cases', { method: 'POST', body })
  expect([refused.status, refused.body.detail]).toEqual([422, 'x'.repeat(5000)])
  const query = 'query($code: String!) { cases(filter: { caseTypeCode: $code }) { nodes { data } } }'
  const found = async (code: string) => (await app.graphql(query, { code })).body.data.cases.nodes
  expect([await found(type), await found(other)]).toEqual([[], [{ data: { kept: true } }]])
})

describe('a dry run', () => {
  test('runs all hooks, stores nothing, and answers queries alone', async () => {
    const type = newType()
    const { id } = await create(type, { a: 1 })
    const calls = `{
      query: () => graphql('{ viewer { accountCode } }').then(({ data }) => data.viewer.accountCode),
      list: () => Platform.cases.list([${id}]).then(rows => rows.length),
      mutation: () => graphql('mutation { saveCase(input: { id: ${id}, data: {} }) { saved } }'),
      dry: () => graphql('mutation { saveCase(input: { id: ${id}, data: {}, dryRun: true }) { saved } }'),
      save: () => Platform.cases.save({ case_type_code: '${newType()}', data: {} }),
      run: () => Platform.tasks.execute({ name: 'n', sourceCode: 'exit(1)', inputDocument: '1' }),
      url: () => graphql('{ x }', {}, '${upstream.url}'),
    }`
    const script = `const seen = {}
      for (const [name, call] of Object.entries(${calls}))
        seen[name] = await call().catch(error => [error.code, error instanceof Error, error.message])
      exit({ seen })`
    await saveHook(script, { caseTypeCode: type, scopes: ['cases:read', 'cases:write', 'tasks:execute'] })
    await saveHook('exit({ ...payload, last: true })', { caseTypeCode: type, position: 1 })
    const before = upstream.requests.length
    const document = saveCase.replace('saved', 'saved changedFields patch')
    const { body } = await app.graphql(document, { input: { id, data: { a: 2 }, dryRun: true } })
    const { saved, changedFields, runs } = body.data.saveCase
    expect([saved, changedFields.last, changedFields.a]).toEqual([false, [true, null], [null, 1]])
    expect(runs.map(({ dryRun }: { dryRun: boolean }) => dryRun)).toEqual([true, true])
    const mutation = ['FORBIDDEN', true, expect.stringContaining('refuses mutations')]
    expect(changedFields.seen[0]).toEqual({
      ...{ query: 'demo', list: 1, mutation, dry: mutation, save: mutation, run: mutation },
      url: ['FORBIDDEN', true, expect.stringContaining('no other host')],
    })
    expect(upstream.requests).toHaveLength(before)
    expect((await app.send(`/platform/cases/${id}`)).body.case).toMatchObject({ data: { a: 1 }, version: 1 })
  })

  test('is refused as a save is', async () => {
    const type = newType()
    await saveHook("fail('No.')", { caseTypeCode: type })
    const { body } = await app.graphql(saveCase, { input: { caseTypeCode: type, data: {}, dryRun: true } })
    expect(body.errors[0]).toMatchObject({ message: 'No.', extensions: { code: 'SCRIPT_FAILED' } })
  })
})

test('a client that goes away in a hook ends the hook and the save, and its key saves again', async () => {
  const type = newType()
  const { id } = await create(type, { a: 1 })
  await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
  const gone = new AbortController()
  const never = Promise.withResolvers<void>()
  during = () => {
    gone.abort()
    return never.promise
  }
  const send = (signal?: AbortSignal) =>
    fetch(`${app.url}/platform/cases/${id}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${app.adminToken}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${type}`,
      },
      body: JSON.stringify({ case: { data: { a: 2 } } }),
      ...(signal && { signal }),
    })
  await expect(send(gone.signal)).rejects.toThrow()
  await expect.poll(() => runsOf(id)).toMatchObject([{ state: 'ENDED', error: { code: 'CRASHED' } }])
  never.resolve()
  expect((await app.send(`/platform/cases/${id}`)).body.case).toMatchObject({ data: { a: 1 }, version: 1 })
  during = () => undefined
  const again = await send()
  expect([again.status, await again.json()]).toMatchObject([200, { case: { data: { a: 2 }, version: 2 } }])
  expect((await send()).headers.get('idempotency-replayed')).toBe('true')
})

test('two cases whose hooks save each other end without waiting for each other', async () => {
  const [a, b] = [newType(), newType()]
  const [caseA, caseB] = [await create(a), await create(b)]
  const saveOther = (id: number) =>
    `${callUpstream()}; const save = { id: ${id}, data: { n: payload.n }, merge: true }
    exit({ ...payload, other: await Platform.cases.save(save).then(() => 'saved', ({ code }) => code) })`
  await saveHook(saveOther(caseB.id), { caseTypeCode: a, scopes: ['cases:write'] })
  await saveHook(saveOther(caseA.id), { caseTypeCode: b, scopes: ['cases:write'] })
  // Both hold their turns before either goes on.
  const both = Promise.withResolvers<void>()
  let calls = 0
  during = () => (++calls === 2 ? both.resolve() : both.promise)
  const answers = await Promise.all([put(caseA.id, { n: 1 }), put(caseB.id, { n: 2 })])
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect(answers.some(({ status }) => status === 200)).toBe(true)
})
