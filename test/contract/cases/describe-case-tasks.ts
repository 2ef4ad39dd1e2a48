import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp, type TestRequest } from '../../http/edge/start-app.ts'
import { saveHook, startSandboxes } from '../../http/rest/save-hook.ts'
import { saveTask, type TaskOrder } from '../../http/rest/save-task.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { until } from '../../server/processes/until.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

/** The tests of case tasks on one of the databases. */
export function describeCaseTasks(engine: 'SQLite' | 'PostgreSQL'): void {
  describe(`a case task, with ${engine}`, () => {
    let app: TestApp
    let upstream: Upstream
    let types = 0
    // Called once, in the middle of a script that calls the upstream.
    let during: (() => unknown) | null = null

    beforeAll(async () => {
      upstream = await startUpstream(async (_request, response) => {
        const work = during
        during = null
        await work?.()
        sendJson(response, { data: {} })
      })
      const database = engine === 'SQLite' ? {} : { DATABASE_URL: await createDatabase() }
      app = await startApp({ ROSTRUM_GRAPHQL_HOSTS: upstream.host, ...database })
      await startSandboxes(app)
    })
    afterAll(async () => {
      await app.close()
      await upstream.close()
    })

    const callUpstream = () => `await graphql('{ x }', {}, '${upstream.url}');`

    const newType = () => `type-${++types}`

    async function create(caseTypeCode: string, data: object = {}): Promise<number> {
      const body = { case: { case_type_code: caseTypeCode, data } }
      return (await app.send('/platform/cases', { method: 'POST', body })).body.case.id
    }

    const put = (id: number, data: object) =>
      app.send(`/platform/cases/${id}`, { method: 'PUT', body: { case: { data } } })

    const read = async (id: number) => (await app.send(`/platform/cases/${id}`)).body.case

    /** A new case of a new type with a task that runs this source. */
    async function prepare(sourceCode: string, data: object = { a: 1 }, order: TaskOrder = {}) {
      const caseTypeCode = newType()
      const task = await saveTask(app, sourceCode, { caseTypeCode, ...order })
      return { caseTypeCode, task, id: await create(caseTypeCode, data) }
    }

    const run = (id: number, task: string, body: unknown = {}, request: TestRequest = {}) =>
      app.send(`/api/1/case/${id}/task/${task}`, { method: 'POST', body, ...request })

    const document = `
    mutation($id: ID!, $name: String!, $params: JSON, $ifVersions: [Int!], $dryRun: Boolean! = false) {
    runCaseTask(caseId: $id, name: $name, params: $params, ifVersions: $ifVersions, dryRun: $dryRun) {
      execution { id name outcome payload message error { code message line } }
      change { case { id version data } saved changedFields patch txnID } } }`

    const ask = (id: number, name: string, rest: object = {}, token?: string) =>
      app.graphql(document, { id, name, ...rest }, token)

    async function keptRuns(caseId: number) {
      let runs: { trigger: string; state: string; dryRun: boolean }[] = []
      await until(async () => {
        const { body } = await app.graphql(
          `query($id: ID) { runs(filter: {caseId: $id}) {
          edges { node { trigger name state outcome dryRun scopes txnSource caseVersion function { name } } } } }`,
          { id: caseId },
        )
        runs = body.data.runs.edges.map(({ node }: { node: unknown }) => node)
        return runs.length > 0
      })
      return runs
    }

    test('gets the data, the params, the case and the caller, and its exit is saved', async () => {
      const { id, task, caseTypeCode } = await prepare(
        'exit({ was: payload, options, context: requestContext() })',
        { a: 1, nul: '\0', odd: '\ud800' },
      )
      const params = { depth: [1, { of: '\0' }] }
      const { status, body, headers } = await run(id, task, { params })
      expect(status).toBe(200)
      expect(headers.get('etag')).toBe('"2"')
      const { data } = body.case
      expect(body.case).toMatchObject({ id, case_type_code: caseTypeCode, version: 2 })
      expect(data.was).toEqual({ a: 1, nul: '\0', odd: '\ud800' })
      expect(data.options).toMatchObject({
        params,
        changed_fields: null,
        case: { id, case_type_code: caseTypeCode, version: 1 },
        current_user: { account_code: 'demo' },
      })
      expect(data.context.txnSource).toMatch(new RegExp(`^task\\|${caseTypeCode}/${task}\\|\\d{4}-.*Z$`))
      expect(body.task_execution).toMatchObject({
        name: task,
        outcome: 'exit',
        payload: data,
        error: null,
        request_context: data.context,
      })
      expect(Object.keys(body)).toEqual(['task_execution', 'case', 'patch'])
      expect(body.patch.map(({ op, path }: { op: string; path: string }) => [op, path])).toEqual([
        ['remove', '/a'],
        ['remove', '/nul'],
        ['remove', '/odd'],
        ['add', '/was'],
        ['add', '/options'],
        ['add', '/context'],
      ])
      expect(await read(id)).toEqual(body.case)
    })

    test('answers GraphQL with the execution and the change, in one transaction', async () => {
      const { id, task } = await prepare('exit({ ...payload, b: options.params })')
      const { body } = await ask(id, task, { params: { of: 2 } })
      const { txnID } = body.data.runCaseTask.change
      expect(body.data.runCaseTask).toEqual({
        execution: {
          id: expect.any(String),
          name: task,
          outcome: 'EXIT',
          payload: { a: 1, b: { of: 2 } },
          message: null,
          error: null,
        },
        change: {
          case: { id: String(id), version: 2, data: { a: 1, b: { of: 2 } } },
          saved: true,
          changedFields: { b: [{ of: 2 }, null] },
          patch: [{ op: 'add', path: '/b', value: { of: 2 } }],
          txnID,
        },
      })
      const events = await app.graphql(
        'query($id: ID!) { case(id: $id) { events { nodes { kind txnID function byEmail } } } }',
        { id },
      )
      expect(events.body.data.case.events.nodes[1]).toMatchObject({
        kind: 'SAVED',
        txnID,
        function: `function-of-${task}`,
      })
      const runs = await app.graphql(
        'query($txn: String) { runs(filter: {txnID: $txn}) { edges { cursor } } }',
        {
          txn: txnID,
        },
      )
      expect(runs.body.errors).toBeUndefined()
    })

    test('without params gets an empty object, and needs no body', async () => {
      const { id, task } = await prepare('exit({ got: options.params })')
      expect((await run(id, task, undefined)).body.case.data).toEqual({ got: {} })
      expect((await ask(id, task)).body.data.runCaseTask.change.case.data).toEqual({ got: {} })
      expect((await run(id, task, { params: null, dry_run: null })).status).toBe(200)
    })

    test('that exits with null saves nothing', async () => {
      const { id, task } = await prepare('exit(null)')
      const before = await read(id)
      const { status, body } = await run(id, task)
      expect([status, body.task_execution.outcome, body.task_execution.payload]).toEqual([200, 'exit', null])
      expect([body.case, body.patch]).toEqual([before, []])
      const asked = await ask(id, task)
      expect(asked.body.data.runCaseTask.change).toMatchObject({ saved: false, changedFields: {}, patch: [] })
      expect(await read(id)).toEqual(before)
    })

    test('that exits with the data as they are saves no version', async () => {
      const { id, task } = await prepare('exit({ ...payload })')
      expect((await run(id, task)).body.case.version).toBe(1)
    })

    test.each(['1', '"text"', '[]', 'true', '[{}]', 'undefined'])(
      'that exits with %s ends with RESULT',
      async value => {
        const { id, task } = await prepare(`exit(${value})`)
        const before = await read(id)
        const { status, body } = await run(id, task)
        if (value === 'undefined') {
          // JSON has no `undefined`; `exit()` is `exit(null)`.
          expect([200, 422]).toContain(status)
        } else {
          expect(status).toBe(422)
          expect(Object.keys(body)).toEqual(['task_execution'])
          expect(body.task_execution).toMatchObject({
            outcome: 'error',
            payload: null,
            error: { code: 'RESULT' },
          })
          const asked = await ask(id, task)
          expect(asked.body.errors).toBeUndefined()
          expect(asked.body.data.runCaseTask).toMatchObject({
            execution: { error: { code: 'RESULT' } },
            change: null,
          })
        }
        expect(await read(id)).toEqual(before)
      },
    )

    test('that fails answers with the execution, and no error', async () => {
      const { id, task } = await prepare('log(1); fail("No \\u0000 owner\\n")')
      const { status, body } = await run(id, task)
      expect(status).toBe(422)
      expect(Object.keys(body)).toEqual(['task_execution'])
      expect(body.task_execution).toMatchObject({
        outcome: 'fail',
        message: 'No \0 owner\n',
        logs: [{ data: [1] }],
      })
      const asked = await ask(id, task)
      expect(asked.status).toBe(200)
      expect(asked.body.errors).toBeUndefined()
      expect(asked.body.data.runCaseTask).toMatchObject({
        execution: { outcome: 'FAIL', message: 'No \0 owner\n' },
        change: null,
      })
      expect((await read(id)).version).toBe(1)
    })

    test('shows its error to callers with `runs:read`, and others its code', async () => {
      const { id, task } = await prepare('\nnull.secret')
      const shown = await run(id, task)
      expect(shown.status).toBe(422)
      expect(shown.body.task_execution.error).toMatchObject({ code: 'RUNTIME', line: 2 })
      const token = await app.issueToken('demo', ['cases:write'])
      const hidden = await run(id, task, {}, { token })
      expect(hidden.status).toBe(422)
      expect(hidden.body.task_execution.error).toEqual({
        code: 'RUNTIME',
        message: expect.stringContaining(hidden.body.task_execution.id),
        line: null,
        column: null,
        stack: null,
        hint: null,
      })
      expect((await ask(id, task, {}, token)).text).not.toContain('secret')
    })

    test('is refused by a hook of the save, and nothing is stored', async () => {
      const { id, task, caseTypeCode } = await prepare('exit({ ...payload, b: 1 })')
      const hook = await saveHook(app, 'fail("Not \\"today\\"")', { caseTypeCode, name: `refuse-${types}` })
      const { status, body } = await run(id, task)
      expect(status).toBe(422)
      expect(body).toMatchObject({
        code: 'SCRIPT_FAILED',
        detail: 'Not "today"',
        function: `refuse-${types}`,
        hook: { id: hook, event: 'pre-save' },
        run_id: expect.any(String),
        txn_id: expect.any(String),
      })
      const asked = await ask(id, task)
      expect(asked.body.data).toEqual({ runCaseTask: null })
      expect(asked.body.errors[0]).toMatchObject({
        message: 'Not "today"',
        extensions: { code: 'SCRIPT_FAILED', hook: { id: String(hook) } },
      })
      expect((await read(id)).version).toBe(1)
    })

    test('gives its result to the hooks, which may change it', async () => {
      const { id, task, caseTypeCode } = await prepare('exit({ ...payload, b: 1 })')
      await saveHook(app, 'exit({ ...payload, changed: options.changed_fields })', { caseTypeCode })
      const { body } = await run(id, task)
      expect(body.task_execution.payload).toEqual({ a: 1, b: 1 })
      expect(body.case.data).toEqual({ a: 1, b: 1, changed: { b: [1, null] } })
      expect(body.patch).toEqual([
        { op: 'add', path: '/b', value: 1 },
        { op: 'add', path: '/changed', value: { b: [1, null] } },
      ])
    })

    test('answers with a case of 1 MiB that it changed as a whole', async () => {
      const { id, task } = await prepare(
        'log("x".repeat(200_000)); exit({ text: "y".repeat(2 ** 20 - 11) })',
        {
          text: 'z'.repeat(2 ** 20 - 11),
        },
      )
      for (const dryRun of [true, false]) {
        const { status, body, text } = await run(id, task, { dry_run: dryRun })
        expect(status, text.slice(0, 300)).toBe(200)
        expect(body.case.data.text[0]).toBe(dryRun ? 'z' : 'y')
        expect(body.patch[0].value).toHaveLength(2 ** 20 - 11)
      }
    })

    test('replaces all data in the patch if the patch is longer than the data', async () => {
      const fields = (n: number) =>
        `Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => ['f' + i, ${n}]))`
      const { id, task } = await prepare(`exit({ gone: undefined, ...${fields(1)} })`, { gone: 1 })
      const dry = await run(id, task, { dry_run: true })
      expect(dry.status, dry.text.slice(0, 300)).toBe(200)
      const { status, body, text } = await run(id, task)
      expect(status, text.slice(0, 300)).toBe(200)
      expect(body.patch).toEqual([{ op: 'replace', path: '', value: body.case.data }])
      expect(dry.body.patch).toEqual(body.patch)
      expect(Object.keys(body.case.data)).toHaveLength(10_000)
    })

    describe('dry', () => {
      test('runs every script and stores nothing', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ ...payload, list: [...payload.list, 4] })', {
          list: [1, 2, 3],
          text: 'x'.repeat(50),
        })
        await saveHook(app, 'exit({ ...payload, hooked: true })', { caseTypeCode })
        const before = await read(id)
        const { status, body } = await run(id, task, { dry_run: true })
        expect(status).toBe(200)
        expect(body.patch).toEqual([
          { op: 'replace', path: '/list', value: [1, 2, 3, 4] },
          { op: 'add', path: '/hooked', value: true },
        ])
        expect(body.case).toEqual(before)
        const asked = await ask(id, task, { dryRun: true })
        expect(asked.body.data.runCaseTask.change).toMatchObject({
          saved: false,
          case: { version: 1 },
          changedFields: {
            list: [
              [1, 2, 3, 4],
              [1, 2, 3],
            ],
            hooked: [true, null],
          },
        })
        expect(await read(id)).toEqual(before)
        expect((await keptRuns(id)).every(({ dryRun }) => dryRun)).toBe(true)
      })

      test('answers queries of its script, and refuses what would change something', async () => {
        const scopes = ['cases:read', 'cases:write', 'memberships:write', 'tasks:execute']
        const { id, task } = await prepare(
          `const note = work => work.then(() => 'done', error => error.code ?? error.message)
        exit({
          read: await note(Platform.cases.list([options.case.id])),
          saved: await note(Platform.cases.save({ case_type_code: 'other', data: {} })),
          joined: await note(Platform.teamMemberships.add({ user_id: 1, team_id: 1 })),
          ran: await note(Platform.tasks.execute({ name: 'x', sourceCode: 'exit(1)', inputDocument: {} })),
          far: await note(graphql('{ a }', {}, 'https://example.com')),
        })`,
          {},
          { scopes },
        )
        const { body } = await run(id, task, { dry_run: true })
        const { read: ofRead, ...refused } = body.task_execution.payload
        expect(ofRead).toBe('done')
        for (const said of Object.values(refused)) expect(said).toMatch(/FORBIDDEN|dry run/)
        expect((await app.send('/platform/team_memberships/1')).status).toBe(404)
      })

      test('is refused by a hook as a real one', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ b: 1 })')
        await saveHook(app, 'fail("no")', { caseTypeCode })
        const { status, body } = await run(id, task, { dry_run: true })
        expect([status, body.code, body.detail]).toEqual([422, 'SCRIPT_FAILED', 'no'])
      })
    })

    describe('whose run decides the save', () => {
      const running = `mutation($id: ID!, $name: String!, $dryRun: Boolean! = false) {
      runCaseTask(caseId: $id, name: $name, dryRun: $dryRun) {
        execution { id } change { txnID runs { id trigger name state outcome caseVersion dryRun txnID } } } }`

      test('is in the store with the save, before the runs of hooks', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ ...payload, b: 1 })')
        await saveHook(app, 'exit(payload)', { caseTypeCode, name: `hooked-${types}` })
        const { body } = await app.graphql(running, { id, name: task })
        const { execution, change } = body.data.runCaseTask
        const of = { state: 'ENDED', outcome: 'EXIT', caseVersion: 1, dryRun: false, txnID: change.txnID }
        expect(change.runs).toEqual([
          { id: execution.id, trigger: 'TASK', name: task, ...of },
          { id: expect.any(String), trigger: 'HOOK', name: `hooked-${types}`, ...of },
        ])
        const listed = await app.graphql(`query($id: ID!) { case(id: $id) { runs { nodes { id } } } }`, {
          id,
        })
        expect(listed.body.data.case.runs.nodes).toHaveLength(2)
      })

      test('is kept without a save too', async () => {
        const dry = await prepare('exit({ ...payload, b: 1 })')
        const { body } = await app.graphql(running, { id: dry.id, name: dry.task, dryRun: true })
        expect(body.data.runCaseTask.change.runs).toMatchObject([
          { trigger: 'TASK', state: 'ENDED', dryRun: true },
        ])
        const nothing = await prepare('exit(null)')
        const none = await app.graphql(running, { id: nothing.id, name: nothing.task })
        expect(none.body.data.runCaseTask.change.runs).toMatchObject([{ trigger: 'TASK', outcome: 'EXIT' }])
        const failed = await prepare('fail("no")')
        await run(failed.id, failed.task)
        expect(await keptRuns(failed.id)).toMatchObject([{ trigger: 'TASK', outcome: 'FAIL' }])
      })

      test('is kept once if a hook of its save refuses', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ b: 1 })')
        await saveHook(app, 'fail("no")', { caseTypeCode })
        await run(id, task)
        await until(async () => (await keptRuns(id)).length === 2)
        expect((await keptRuns(id)).map(({ trigger }) => trigger).toSorted()).toEqual(['HOOK', 'TASK'])
      })

      test('is not one of a save that hooks saved meanwhile do again', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ ...payload, b: 1 })')
        await saveHook(app, `${callUpstream()} exit(payload)`, { caseTypeCode })
        during = () => saveHook(app, 'exit({ ...payload, c: 1 })', { caseTypeCode })
        const { runs } = (await app.graphql(running, { id, name: task })).body.data.runCaseTask.change
        expect(runs.map(({ trigger }: { trigger: string }) => trigger)).toEqual(['TASK', 'HOOK', 'HOOK'])
        expect((await read(id)).data).toEqual({ a: 1, b: 1, c: 1 })
        await until(async () => (await keptRuns(id)).every(({ state }) => state !== 'RUNNING'))
        const states = (await keptRuns(id)).map(({ trigger, state }) => `${trigger} ${state}`)
        expect(states.toSorted()).toEqual(['HOOK ENDED', 'HOOK ENDED', 'HOOK SUPERSEDED', 'TASK ENDED'])
      })
    })

    describe('whose case has moved on', () => {
      test('before it is not run, and the answer is 412', async () => {
        const { id, task } = await prepare('exit({ ran: true })')
        const versions = { headers: { 'if-match': '"7", "8"' } }
        const { status, body } = await run(id, task, {}, versions)
        expect([status, body.code, body.version]).toEqual([412, 'PRECONDITION_FAILED', 1])
        const asked = await ask(id, task, { ifVersions: [7] })
        expect(asked.body.errors[0].extensions).toMatchObject({
          code: 'PRECONDITION_FAILED',
          reason: 'VERSION',
          version: 1,
        })
        const met = await run(id, task, {}, { headers: { 'if-match': '"1"' } })
        expect(met.body.case.version).toBe(2)
        expect(await keptRuns(id)).toHaveLength(1)
      })

      test('meanwhile is run once, and the answer is 409', async () => {
        const { id, task } = await prepare(`${callUpstream()} exit({ ran: true })`)
        // The task holds no turn of the case.
        during = async () => expect((await put(id, { by: 'another' })).body.case.version).toBe(2)
        const { status, body } = await run(id, task, {}, { headers: { 'if-match': '"1"' } })
        expect([status, body.code, body.reason]).toEqual([409, 'CONFLICT', 'CASE_CHANGED'])
        expect(body.detail).toContain(`Case \`${id}\` was changed or deleted while the task \`${task}\` ran`)
        expect((await read(id)).data).toEqual({ by: 'another' })
        expect(await keptRuns(id)).toHaveLength(1)
      })

      test('to its end is 409 too', async () => {
        const { id, task } = await prepare(`${callUpstream()} exit({ ran: true })`)
        during = () => app.send(`/platform/cases/${id}`, { method: 'DELETE' })
        expect((await run(id, task)).status).toBe(409)
        expect((await app.send(`/platform/cases/${id}`)).status).toBe(404)
      })
    })

    test('is run by whom it is, as data, however rich its own rights', async () => {
      const { id, task } = await prepare('exit({ user: options.current_user })', {}, { scopes: ['admin'] })
      const token = await app.issueToken('demo', ['cases:write'])
      const viewer = (await app.graphql('{ viewer { userId email } }', {}, token)).body.data.viewer
      const { body } = await run(id, task, {}, { token })
      expect(body.case.data.user).toMatchObject({
        id: Number(viewer.userId),
        email: viewer.email,
        account_code: 'demo',
      })
      const events = await app.graphql(
        'query($id: ID!) { case(id: $id) { events { nodes { byUserId } } } }',
        {
          id,
        },
      )
      expect(events.body.data.case.events.nodes.at(-1)).toEqual({ byUserId: viewer.userId })
    })

    describe('rights', () => {
      const viewer = `const { data } = await graphql('{ viewer { scopes accountCode email } }')
      exit({ scopes: data.viewer.scopes })`

      test('are exactly those of the task, whatever the caller has', async () => {
        const none = await prepare(viewer)
        expect((await run(none.id, none.task)).body.case.data).toEqual({ scopes: [] })
        const some = await prepare(viewer, {}, { scopes: ['cases:read', 'memberships:read'] })
        const token = await app.issueToken('demo', ['cases:write'])
        const { body } = await run(some.id, some.task, {}, { token })
        expect(body.case.data.scopes.toSorted()).toEqual(['cases:read', 'memberships:read'])
      })

      test('without scopes let it read nothing', async () => {
        const { id, task } = await prepare(
          'exit({ said: await Platform.teams.get(1).catch(e => [e.code, e.message]) })',
        )
        expect((await run(id, task)).text).toMatch(/FORBIDDEN|lacks the scope/)
      })

      test.each(['cases:read', 'tasks:execute', 'functions:write', 'runs:read'] as const)(
        'with `%s` alone nobody runs it',
        async scope => {
          const { id, task } = await prepare('exit({ ran: true })')
          const token = await app.issueToken('demo', [scope])
          const { status, body } = await run(id, task, {}, { token })
          expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
          expect((await ask(id, task, {}, token)).body.errors[0].extensions).toMatchObject({
            scope: 'cases:write',
          })
          expect((await read(id)).version).toBe(1)
        },
      )
    })

    describe('what does not exist is 404', () => {
      test('a case, a task, a task of another type, and one that is not enabled', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ ran: true })')
        const other = await prepare('exit({ ran: true })')
        const off = await saveTask(app, 'exit({ ran: true })', { caseTypeCode, enabled: false })
        expect((await run(77_777_777, task)).body.detail).toBe('There is no case `77777777`.')
        for (const name of ['nothing', other.task, off, '%00', '__proto__', 'x'.repeat(80)]) {
          const { status, body } = await run(id, name)
          expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
          expect(body.detail).toMatch(new RegExp(`^The case type \`${caseTypeCode}\` has no task`))
        }
        expect((await ask(id, '\ud800')).body.errors[0].extensions.code).toBe('NOT_FOUND')
        expect((await read(id)).version).toBe(1)
      })
    })

    describe('bad input is 400', () => {
      test.each([
        ['params that are a list', '{"params":[]}', '/params'],
        ['params that are a text', '{"params":"{}"}', '/params'],
        ['an integer that JSON cannot carry back', '{"params":{"a":[9007199254740993]}}', '/params/a/0'],
        ['a number that overflows', '{"params":{"a":1e999}}', '/params/a'],
        ['`__proto__`', '{"params":{"a":{"__proto__":1}}}', '/params/a/__proto__'],
        ['a `dry_run` of text', '{"dry_run":"true"}', '/dry_run'],
        ['a body that is no object', '[]', ''],
        ['an id that is none', null, null],
      ])('%s', async (_, body, pointer) => {
        const { id, task } = await prepare('exit({ ran: true })')
        const headers = { 'content-type': 'application/json' }
        const answer =
          body === null ? await run('1e2' as unknown as number, task) : await run(id, task, body, { headers })
        expect(answer.status).toBe(400)
        expect(answer.body.code).toBe('BAD_USER_INPUT')
        if (pointer !== null) expect(answer.body.errors?.[0]?.pointer ?? '').toBe(pointer)
        expect((await read(id)).version).toBe(1)
      })
    })

    describe('a hostile task', () => {
      test.each([
        ['more than 1 MiB', 'exit({ a: "x".repeat(2 ** 20) })', 'LIMIT'],
        ['65 levels', 'let a = {}; for (let n = 1; n < 65; n++) a = { a }; exit(a)', 'RESULT'],
        ['`__proto__`', 'exit(JSON.parse(\'{"__proto__": 1}\'))', 'RESULT'],
        ['an inexact integer', "exit({ a: JSON.rawJSON('9007199254740993') })", 'RESULT'],
        [
          '10,001 fields',
          'exit(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [n, n])))',
          'RESULT',
        ],
        ['a function', 'exit({ a() {} })', 'RESULT'],
      ])('that exits with %s saves nothing', async (_, source, code) => {
        const { id, task } = await prepare(source)
        const { status, body } = await run(id, task)
        expect([status, body.task_execution?.error?.code]).toEqual([422, code])
        expect((await read(id)).data).toEqual({ a: 1 })
      })

      test('cannot save, delete or run a task on its own case, at any depth', async () => {
        const scopes = ['cases:read', 'cases:write', 'tasks:execute']
        const of = 'options.case.id'
        const inner = `Platform.tasks.execute({ name: 'x', inputDocument: {}, sourceCode:
        'exit(await Platform.cases.save({ id: ' + ${of} + ', data: {} }).catch(e => e.code))' })`
        const { id, task } = await prepare(
          `const said = []
        const note = work => work.then(() => said.push('done'), error => said.push(error.code))
        await note(Platform.cases.save({ id: ${of}, data: {} }))
        await note(Platform.cases.delete(${of}))
        await note(Platform.cases.runTask(${of}, 'any', {}))
        said.push((await ${inner}).payload)
        exit({ said })`,
          {},
          { scopes },
        )
        expect((await run(id, task)).body.case.data).toEqual({
          said: ['CONFLICT', 'CONFLICT', 'CONFLICT', 'CONFLICT'],
        })
      })

      test('that names itself the caller of another account stays in its own', async () => {
        const { id, task } = await prepare('exit({ user: options.current_user })')
        const { body } = await run(id, task, {
          params: { current_user: { account_code: 'other' } },
          options: { current_user: { account_code: 'other' } },
        })
        expect(body.case.data.user.account_code).toBe('demo')
      })

      test('that many callers run at once is saved once for each version', async () => {
        const { id, task } = await prepare('exit({ count: (payload.count ?? 0) + 1 })', { count: 0 })
        const answers = await Promise.all(Array.from({ length: 12 }, () => run(id, task)))
        const saved = answers.filter(({ status }) => status === 200)
        expect(answers.every(({ status }) => [200, 409, 429].includes(status))).toBe(true)
        expect(saved.length).toBeGreaterThan(0)
        expect((await read(id)).data).toEqual({ count: saved.length })
      })

      test('whose client hangs up saves nothing', async () => {
        const { id, task } = await prepare(`${callUpstream()} exit({ ran: true })`)
        const client = new AbortController()
        const never = Promise.withResolvers<void>()
        during = () => {
          client.abort()
          return never.promise
        }
        const gone = fetch(`${app.url}/api/1/case/${id}/task/${task}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${app.adminToken}` },
          signal: client.signal,
        }).catch(() => 'gone')
        expect(await gone).toBe('gone')
        await expect.poll(() => keptRuns(id)).toMatchObject([{ state: 'ENDED', outcome: 'ERROR' }])
        expect((await read(id)).version).toBe(1)
        never.resolve()
      })
    })

    describe('under an idempotency key', () => {
      test('is run once, and its answer is given again', async () => {
        const { id, task } = await prepare('exit({ count: (payload.count ?? 0) + 1 })', {})
        const request = { headers: { 'idempotency-key': `task-${engine}` } }
        const [first, again] = [await run(id, task, {}, request), await run(id, task, {}, request)]
        expect(again.headers.get('idempotency-replayed')).toBe('true')
        expect(again.text).toBe(first.text)
        expect((await read(id)).data).toEqual({ count: 1 })
        const other = await run(id, task, { params: { a: 1 } }, request)
        expect(other.status).toBe(409)
      })
    })

    describe('from a script', () => {
      test('gives the execution, and a hook refuses with its code and message', async () => {
        const { id, task, caseTypeCode } = await prepare('exit({ ...payload, got: options.params })')
        const execute = async (expression: string) => {
          const sourceCode = `exit(await ${expression})`
          const body = { name: 'x', sourceCode, inputDocument: { id, task }, options: {} }
          return (await app.send('/api/1/endpoint/execute', { method: 'POST', body })).body.task_execution
            .payload
        }
        const call = 'Platform.cases.runTask(payload.id, payload.task, { of: 1 })'
        expect(await execute(call)).toMatchObject({
          name: task,
          outcome: 'exit',
          payload: { a: 1, got: { of: 1 } },
        })
        expect((await read(id)).data).toEqual({ a: 1, got: { of: 1 } })
        await saveHook(app, 'fail("no more")', { caseTypeCode })
        const caught = '.catch(error => ({ code: error.code, message: error.message }))'
        expect(await execute(`Platform.cases.runTask(payload.id, payload.task, {})${caught}`)).toEqual({
          code: 'SCRIPT_FAILED',
          message: 'no more',
        })
        expect(await execute(`Platform.cases.runTask(payload.id, 'nothing')${caught}`)).toMatchObject({
          code: 'NOT_FOUND',
        })
      })
    })
  })
}
