import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { type HookOrder, saveHook as saveHookOf, startSandboxes } from '../../http/rest/save-hook.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

const guid = /^[0-9a-f-]{36}$/

// biome-ignore lint/suspicious/noExplicitAny: what a script reported
type Reported = any

describe.each(['SQLite', 'PostgreSQL'])('on %s', engine => {
  let app: TestApp
  let upstream: Upstream
  let types = 0
  let reports: Reported[] = []
  // Called in the middle of each hook that calls the upstream, with the variables that the hook gives.
  let during: (variables: Reported) => unknown = () => undefined

  beforeAll(async () => {
    upstream = await startUpstream(async ({ body }, response) => {
      const { variables } = JSON.parse(body)
      reports.push(variables)
      sendJson(response, { data: { answer: (await during(variables)) ?? null } })
    })
    app = await startApp({
      ROSTRUM_GRAPHQL_HOSTS: upstream.host,
      ROSTRUM_RETRY_MS: '50,50,50,50,50,50,50',
      ...(engine === 'SQLite' ? {} : { DATABASE_URL: await createDatabase() }),
    })
    await startSandboxes(app)
  })
  beforeEach(async () => {
    during = () => undefined
    reports = []
    expect(await queuedRuns()).toEqual([])
  })
  afterAll(async () => {
    await app.close()
    await upstream.close()
  })

  const newType = () => `type-${++types}`
  const saveHook = (sourceCode: string, order: HookOrder = {}) =>
    saveHookOf(app, sourceCode, { event: 'post-save', ...order })
  const report = (variables = '{ payload, options }') =>
    `(await graphql('{ x }', ${variables}, '${upstream.url}')).data.answer`

  const create = async (caseTypeCode: string, data: object = {}) =>
    app.send('/platform/cases', { method: 'POST', body: { case: { case_type_code: caseTypeCode, data } } })
  const put = (id: number, data: object) =>
    app.send(`/platform/cases/${id}`, { method: 'PUT', body: { case: { data } } })

  const fields = `id trigger hook { id event } caseId caseVersion txnID state attempt dueAt lastError { code message }
    runs { attempt state outcome error { code } trigger event caseId caseVersion txnID txnSource scopes } `
  async function queuedRuns(filter = '') {
    const { body, text } = await app.graphql(`{ queuedRuns(first: 10${filter}) { nodes { ${fields} } } }`)
    if (body.errors !== undefined) throw new Error(text)
    return body.data.queuedRuns.nodes
  }
  const mutate = async (name: string, id: string, token?: string) =>
    (await app.graphql(`mutation($id: ID!) { ${name}(id: $id) { id state attempt } }`, { id }, token)).body
  const codeOf = (body: Reported) => body.errors?.[0]?.extensions?.code
  const deadLines = () =>
    app.logLines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'queued run is dead')
  const whenEmpty = () => expect.poll(() => queuedRuns(), { timeout: 10_000 }).toEqual([])

  test('a hook after a save gets what was committed, and its run is kept', async () => {
    const caseTypeCode = newType()
    const hook = await saveHook(`exit(${report()})`, {
      caseTypeCode,
      name: `after-${engine}`,
      scopes: ['cases:read'],
    })
    await saveHook('exit({ ...payload, b: 2 })', { event: 'pre-save', caseTypeCode })
    const created = await create(caseTypeCode, { a: 1 })
    expect(created.status).toBe(201)
    const { id } = created.body.case
    await expect.poll(() => reports).toHaveLength(1)
    const [{ payload, options }] = reports
    expect(payload).toEqual({ a: 1, b: 2 })
    expect(options).toMatchObject({
      changed_fields: { a: [1, null], b: [2, null] },
      case: { id, case_type_code: caseTypeCode, version: 1 },
      current_user: { account_code: 'demo' },
      requestContext: { txnID: expect.stringMatching(guid) },
    })
    await whenEmpty()
    const kept = await app.graphql(
      `{ runs(first: 1, filter: {txnID: "${options.requestContext.txnID}", trigger: HOOK}) { nodes {
        event name attempt state outcome caseId caseVersion txnSource scopes input } } }`,
    )
    expect(kept.body.data.runs.nodes).toEqual([
      {
        event: 'POST_SAVE',
        name: `after-${engine}`,
        attempt: 1,
        state: 'ENDED',
        outcome: 'EXIT',
        caseId: String(id),
        caseVersion: 1,
        txnSource: expect.stringContaining(`hook|${caseTypeCode}/post-save/after-${engine}|`),
        scopes: ['cases:read'],
        input: { a: 1, b: 2 },
      },
    ])
    expect(hook).toBeGreaterThan(0)
  })

  test('a save that changes nothing queues nothing, a delete gives the data as they were', async () => {
    const caseTypeCode = newType()
    await saveHook(`exit(${report()})`, { caseTypeCode, event: 'post-delete' })
    await saveHook(`exit(${report('{ saved: true }')})`, { caseTypeCode })
    const { id } = (await create(caseTypeCode, { a: 1 })).body.case
    await expect.poll(() => reports).toEqual([{ saved: true }])
    await put(id, { a: 1 })
    await app.send(`/platform/cases/${id}`, { method: 'DELETE' })
    await expect.poll(() => reports).toHaveLength(2)
    expect(reports[1]).toMatchObject({
      payload: { a: 1 },
      options: { changed_fields: { a: [null, 1] }, case: { id, version: 1 } },
    })
    await whenEmpty()
  })

  test('an error is tried again and then dead; a retry starts at attempt 1; fail is dead at once', async () => {
    const caseTypeCode = newType()
    const hook = await saveHook(
      `if (${report('{ a: payload.a }')} !== 'ok') throw new Error('not yet')\nexit(1)`,
      {
        caseTypeCode,
      },
    )
    const { id } = (await create(caseTypeCode, { a: 1 })).body.case
    await expect.poll(() => queuedRuns(', state: DEAD'), { timeout: 10_000 }).toHaveLength(1)
    const [dead] = await queuedRuns()
    expect(dead).toMatchObject({
      trigger: 'HOOK',
      hook: { id: String(hook), event: 'POST_SAVE' },
      caseId: String(id),
      caseVersion: 1,
      state: 'DEAD',
      attempt: 8,
      lastError: { code: 'RUNTIME', message: expect.stringContaining('not yet') },
    })
    expect(dead.runs.map((run: Reported) => run.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(dead.runs.map((run: Reported) => run.txnID))).toEqual(new Set([dead.txnID]))
    expect(reports).toHaveLength(8)
    const line = { level: 40, account: 'demo', queuedRun: Number(dead.id), hook, case: id, code: 'RUNTIME' }
    expect(deadLines()).toEqual([expect.objectContaining({ ...line, function: expect.any(String) })])
    during = () => 'ok'
    expect(await mutate('retryQueuedRun', dead.id)).toMatchObject({
      data: { retryQueuedRun: { id: dead.id, state: 'WAITING', attempt: 1 } },
    })
    await whenEmpty()
    expect(codeOf(await mutate('retryQueuedRun', dead.id))).toBe('NOT_FOUND')

    const failing = newType()
    await saveHook(`fail('no such customer')`, { caseTypeCode: failing })
    await create(failing)
    await expect.poll(() => queuedRuns(', state: DEAD')).toHaveLength(1)
    const [failed] = await queuedRuns()
    expect(failed).toMatchObject({ attempt: 1, lastError: { message: 'no such customer' } })
    expect(deadLines()).toHaveLength(2)
    expect(deadLines()[1]).toMatchObject({ queuedRun: Number(failed.id), code: 'FAIL' })
    expect(JSON.stringify(deadLines())).not.toContain('no such customer')
    expect(await mutate('cancelQueuedRun', failed.id)).toMatchObject({
      data: { cancelQueuedRun: { state: 'DEAD' } },
    })
    expect(await queuedRuns()).toEqual([])
  })

  test('a page of dead runs comes with their attempts, and a long message whole in its run alone', async () => {
    const caseTypeCode = newType()
    await saveHook(`fail('x'.repeat(100_000))`, { caseTypeCode })
    for (let count = 0; count < 20; count++) await create(caseTypeCode)
    const lookAt = (page: string) =>
      app.graphql(`{ queuedRuns${page} { nodes { id state lastError { code message }
        runs { id outcome message error { code message } startedAt } } } }`)
    await expect.poll(() => queuedRuns(', state: DEAD')).toHaveLength(10)
    await expect.poll(async () => (await lookAt('(state: DEAD)')).body.data?.queuedRuns.nodes.length).toBe(20)
    for (const page of ['', '(first: 20)']) {
      const { body, text } = await lookAt(page)
      expect(body.errors, text.slice(-300)).toBeUndefined()
      for (const { state, lastError, runs } of body.data.queuedRuns.nodes) {
        expect([state, lastError.message.length, runs[0].message.length]).toEqual(['DEAD', 4_096, 100_000])
      }
    }
    for (const { id } of (await lookAt('')).body.data.queuedRuns.nodes) await mutate('cancelQueuedRun', id)
  })

  test('the last error ends with a whole character', async () => {
    const caseTypeCode = newType()
    await saveHook(`fail('x'.repeat(4_095) + '😀')`, { caseTypeCode })
    await create(caseTypeCode)
    await expect.poll(() => queuedRuns(', state: DEAD')).toHaveLength(1)
    const { body } = await app.graphql('{ queuedRuns(state: DEAD) { nodes { id lastError { message } } } }')
    const [{ id, lastError }] = body.data.queuedRuns.nodes
    await mutate('cancelQueuedRun', id)
    expect(lastError.message === 'x'.repeat(4_095)).toBe(true)
  })

  test('the last error never shows the token of its run, not even a part of it', async () => {
    const caseTypeCode = newType()
    await saveHook(`fail('x'.repeat(4_070) + options.authorization)`, { caseTypeCode })
    await saveHook(`throw new Error(options.authorization)`, { caseTypeCode })
    await saveHook(`throw Object.assign(new Error('no'), { stack: options.authorization })`, { caseTypeCode })
    // The refusal of the call has the token, or its beginning, in its message, and so in the hint of the error.
    await saveHook(
      `const id = options.authorization.slice(7)
      const { errors } = await graphql('query($id: ID!) { case(id: $id) { id } }', { id })
      throw new Error(errors[0].message)`,
      { caseTypeCode, scopes: ['cases:read'] },
    )
    await create(caseTypeCode)
    await expect.poll(() => queuedRuns(', state: DEAD'), { timeout: 10_000 }).toHaveLength(4)
    const { text, body } = await app.graphql(
      '{ queuedRuns(first: 10) { nodes { id lastError { message stack hint } } } }',
    )
    expect(text.replace(/x{9,}/g, '')).not.toContain('rrun_')
    expect(text).toMatch(/"hint":"`graphql\(\)` was refused: [^"]*\[run token\]/)
    const messages = body.data.queuedRuns.nodes.map((run: Reported) => run.lastError.message)
    expect(messages).toContain(`${'x'.repeat(4_070)}Bearer [run token]`)
    expect(messages).toContain('Error: Bearer [run token]')
    for (const { id } of body.data.queuedRuns.nodes) await mutate('cancelQueuedRun', id)
  })

  test('a poisoned case goes on after its run is dead, and other cases never wait for it', async () => {
    const caseTypeCode = newType()
    const release = Promise.withResolvers<void>()
    during = ({ n, poison }) => (poison && n === 0 ? release.promise.then(() => 'bad') : 'good')
    await saveHook(
      `if (${report('payload')} === 'bad') throw new Error('poison')
      exit(null)`,
      { caseTypeCode },
    )
    const { id } = (await create(caseTypeCode, { poison: true, n: 0 })).body.case
    await expect.poll(() => reports).toHaveLength(1)
    await put(id, { poison: true, n: 1 })
    await create(caseTypeCode, { poison: false, n: 2 })
    await expect.poll(() => reports.map(({ n }) => n)).toEqual([0, 2])
    release.resolve()
    await expect.poll(() => reports.at(-1), { timeout: 10_000 }).toEqual({ poison: true, n: 1 })
    expect(reports.map(({ n }) => n)).toEqual([0, 2, 0, 0, 0, 0, 0, 0, 0, 1])
    const [dead] = await queuedRuns()
    expect(dead).toMatchObject({ state: 'DEAD', caseId: String(id), caseVersion: 1 })
    await mutate('cancelQueuedRun', dead.id)
    await whenEmpty()
  })

  test('runs of one hook on one case go in order, a running one can be neither retried nor cancelled', async () => {
    const caseTypeCode = newType()
    const { promise, resolve } = Promise.withResolvers<string>()
    during = () => promise
    await saveHook(`exit(${report('{ n: payload.n }')})`, { caseTypeCode })
    const { id } = (await create(caseTypeCode, { n: 0 })).body.case
    for (let n = 1; n < 6; n += 1) await put(id, { n })
    await expect.poll(() => reports).toEqual([{ n: 0 }])
    const [running, next, last] = await queuedRuns()
    expect(running).toMatchObject({ state: 'RUNNING', attempt: 1 })
    expect(next).toMatchObject({ state: 'WAITING', attempt: 1 })
    for (const name of ['cancelQueuedRun', 'retryQueuedRun']) {
      const { errors } = await mutate(name, running.id)
      expect(errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'RUNNING' })
    }
    expect(await mutate('retryQueuedRun', next.id)).toMatchObject({
      data: { retryQueuedRun: { state: 'WAITING', attempt: 1 } },
    })
    expect(reports).toEqual([{ n: 0 }])
    expect(await mutate('cancelQueuedRun', last.id)).toMatchObject({
      data: { cancelQueuedRun: { state: 'WAITING' } },
    })
    resolve('on')
    await whenEmpty()
    expect(reports.map(({ n }) => n)).toEqual([0, 1, 3, 4, 5])
  })

  test('a queued run keeps its function and scopes, whatever becomes of its hook', async () => {
    const changes = {
      narrowed: 'saveHook(input: {id: $id, scopes: []})',
      disabled: 'saveHook(input: {id: $id, enabled: false})',
      removed: 'removeHook(id: $id)',
    }
    for (const [change, mutation] of Object.entries(changes)) {
      reports = []
      const caseTypeCode = newType()
      const { promise, resolve } = Promise.withResolvers<void>()
      during = ({ n }) => (n === 0 ? promise : undefined)
      const hook = await saveHook(
        `await ${report('{ n: payload.n }')}
        const { data } = await graphql('{ cases(first: 1) { nodes { id } } }')
        exit(data.cases.nodes)`,
        { caseTypeCode, scopes: ['cases:read'] },
      )
      const { id } = (await create(caseTypeCode, { n: 0 })).body.case
      await put(id, { n: 1 })
      await expect.poll(() => reports).toEqual([{ n: 0 }])
      const { body } = await app.graphql(`mutation($id: ID!) { ${mutation} { id } }`, { id: hook })
      expect(body.errors, change).toBeUndefined()
      resolve()
      await whenEmpty()
      expect(reports, change).toEqual([{ n: 0 }, { n: 1 }])
      const kept = await app.graphql(
        `{ runs(first: 5, filter: {caseId: "${id}", trigger: HOOK}) { nodes { outcome scopes } } }`,
      )
      const ended = { outcome: 'EXIT', scopes: ['cases:read'] }
      expect(kept.body.data.runs.nodes, change).toEqual([ended, ended])
    }
  })

  test('scopes: runs:read lists, functions:write retries and cancels, and another account sees nothing', async () => {
    const caseTypeCode = newType()
    await saveHook(`fail('x')`, { caseTypeCode })
    await create(caseTypeCode)
    await expect.poll(() => queuedRuns(', state: DEAD')).toHaveLength(1)
    const [{ id }] = await queuedRuns()
    const list = '{ queuedRuns { nodes { id } } }'
    const reader = await app.issueToken('demo', ['runs:read'])
    const writer = await app.issueToken('demo', ['functions:write'])
    const other = await app.issueToken('beta', ['admin'])
    expect((await app.graphql(list, {}, reader)).body.data.queuedRuns.nodes).toEqual([{ id }])
    expect(codeOf((await app.graphql(list, {}, writer)).body)).toBe('FORBIDDEN')
    expect((await app.graphql(list, {}, other)).body.data.queuedRuns.nodes).toEqual([])
    for (const name of ['retryQueuedRun', 'cancelQueuedRun']) {
      expect(codeOf(await mutate(name, id, reader))).toBe('FORBIDDEN')
      expect(codeOf(await mutate(name, id, other))).toBe('NOT_FOUND')
    }
    expect(await mutate('cancelQueuedRun', id, writer)).toMatchObject({ data: { cancelQueuedRun: { id } } })
  })

  test('a caller without `runs:read` gets the code of the last error alone', async () => {
    const caseTypeCode = newType()
    await saveHook('fail("secret detail")', { caseTypeCode })
    await create(caseTypeCode)
    await expect.poll(async () => (await queuedRuns(', state: DEAD')).length, { timeout: 10_000 }).toBe(1)
    const [{ id, lastError }] = await queuedRuns()
    expect(lastError.message).toBe('secret detail')
    const writer = await app.issueToken('demo', ['functions:write'])
    const cancel =
      'mutation ($id: ID!) { cancelQueuedRun(id: $id) { lastError { code message line stack } } }'
    const { text, body } = await app.graphql(cancel, { id }, writer)
    expect(text).not.toContain('secret detail')
    expect(body.data.cancelQueuedRun.lastError).toMatchObject({ code: 'RUNTIME', line: null, stack: null })
  })

  test('hooks that save end after eight generations of one transaction', async () => {
    const caseTypeCode = newType()
    await saveHook(
      `const { id } = options.case
      await graphql('{ x }', { n: payload.n, txnID: requestContext().txnID }, '${upstream.url}')
      await Platform.cases.save({ id, data: { n: payload.n + 1 } })
      exit(null)`,
      { caseTypeCode, scopes: ['cases:write'] },
    )
    const { id } = (await create(caseTypeCode, { n: 0 })).body.case
    await expect.poll(() => queuedRuns(', state: DEAD'), { timeout: 10_000 }).toHaveLength(1)
    const [dead] = await queuedRuns()
    expect(await queuedRuns()).toHaveLength(1)
    expect(dead).toMatchObject({ attempt: 1, caseVersion: 8, lastError: { code: 'LIMIT' } })
    expect(reports.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(new Set(reports.map(({ txnID }) => txnID))).toEqual(new Set([dead.txnID]))
    expect((await app.send(`/platform/cases/${id}`)).body.case).toMatchObject({ version: 8, data: { n: 7 } })
    await mutate('cancelQueuedRun', dead.id)
  })
})
