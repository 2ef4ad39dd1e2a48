import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { startSandboxes } from '../../http/rest/save-hook.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { by } from '../../store/databases/origin.ts'
import { writeRows } from '../../store/databases/write-rows.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

// The gateway has no sandbox until the last test, so nothing that is queued runs.
describe.each(['SQLite', 'PostgreSQL'])('on %s', engine => {
  const folder = makeTempFolder()
  let app: TestApp
  let url: string
  let account = 0
  let accountCode = ''
  let token = ''

  beforeAll(async () => {
    url = engine === 'SQLite' ? `sqlite:${folder.path}/rostrum.db` : await createDatabase()
    app = await startApp({ DATABASE_URL: url })
  })
  beforeEach(async () => {
    accountCode = `account-${++account}`
    token = await app.issueToken(accountCode)
  })
  afterAll(async () => {
    await app.close()
    folder.remove()
  })

  const enqueue = (...cases: number[]) =>
    app.app.store.queue.enqueue(
      by(accountCode),
      cases.map(caseId => queuedRun({ caseId })),
    )
  const makeDead = (where = 'true') =>
    writeRows(
      url,
      `update queued_runs set state = 'dead', lane = null, claim_at = null
       where account_code = '${accountCode}' and ${where}`,
    )
  const ask = async (query: string, as = token) => (await app.graphql(query, {}, as)).body
  const retry = (given = '', as = token) => ask(`mutation { retryQueuedRuns${given} }`, as)
  const codeOf = ({ errors }: Awaited<ReturnType<typeof ask>>) => errors?.[0]?.extensions?.code

  test('`totalCount` counts the runs of all pages, once, and only if it is asked for', async () => {
    await enqueue(1, 1, 2, 3)
    await makeDead('id = 4')
    const counts = await ask(`{ all: queuedRuns(first: 1) { totalCount nodes { id } }
      waiting: queuedRuns(state: WAITING, first: 0) { totalCount again: totalCount }
      dead: queuedRuns(state: DEAD) { totalCount pageInfo { hasNextPage } }
      running: queuedRuns(state: RUNNING) { totalCount } }`)
    expect(counts.data).toEqual({
      all: { totalCount: 4, nodes: [{ id: '1' }] },
      waiting: { totalCount: 3, again: 3 },
      dead: { totalCount: 1, pageInfo: { hasNextPage: false } },
      running: { totalCount: 0 },
    })
    const countStatements = async (fields: string) => {
      app.statements.length = 0
      await ask(`{ queuedRuns { ${fields} } }`)
      return app.statements.filter(text => /count\(\*\) from queued_runs/.test(text)).length
    }
    expect(await countStatements('nodes { id }')).toBe(0)
    expect(await countStatements('a: totalCount b: totalCount')).toBe(1)
    const other = await app.issueToken('other')
    expect((await ask('{ queuedRuns { totalCount } }', other)).data.queuedRuns.totalCount).toBe(0)
    const writer = await app.issueToken(accountCode, ['functions:write'])
    expect(codeOf(await ask('{ queuedRuns { totalCount } }', writer))).toBe('FORBIDDEN')
  })

  test('a count has a price, so that a document has not many', async () => {
    const aliases = Array.from({ length: 50 }, (_, index) => `a${index}: queuedRuns(first: 0) { ...f }`)
    const fields = Array.from({ length: 10 }, (_, index) => `c${index}: totalCount`).join(' ')
    const refused = await ask(`{ ${aliases.join(' ')} } fragment f on QueuedRunConnection { ${fields} }`)
    expect(refused.errors[0].message).toMatch(/cost/)
  })

  test('`retryQueuedRuns` retries dead runs and says how many, once under a key', async () => {
    await enqueue(1, 1, 2, 3)
    await makeDead()
    expect((await retry('(first: 3)')).data).toEqual({ retryQueuedRuns: 3 })
    await makeDead('id = 1')
    const send = () =>
      app.send('/graphql', {
        method: 'POST',
        token,
        headers: { 'idempotency-key': `retry-${accountCode}` },
        body: { query: 'mutation { retryQueuedRuns }' },
      })
    expect((await send()).body.data).toEqual({ retryQueuedRuns: 2 })
    await makeDead()
    expect((await send()).body.data).toEqual({ retryQueuedRuns: 2 })
    expect((await ask('{ queuedRuns(state: DEAD) { totalCount } }')).data.queuedRuns.totalCount).toBe(4)
    expect((await retry('(hookId: "1", webhookId: null)')).data).toEqual({ retryQueuedRuns: 4 })
    for (let count = 0; count < 3; count++) expect((await retry()).data).toEqual({ retryQueuedRuns: 0 })
  })

  test('`retryQueuedRuns` refuses a huge `first`, bad ids, both triggers and callers without the scope', async () => {
    await enqueue(1, 2)
    await makeDead()
    for (const given of [
      '(first: 0)',
      '(first: -1)',
      '(first: 1001)',
      '(first: 2147483647)',
      '(hookId: "x")',
      '(hookId: "0")',
      '(webhookId: "1e3")',
      '(hookId: "1", webhookId: "1")',
    ]) {
      expect(codeOf(await retry(given)), given).toBe('BAD_USER_INPUT')
    }
    expect(
      (await app.graphql('mutation { retryQueuedRuns(first: 1e10) }', {}, token)).body.data,
    ).toBeUndefined()
    const reader = await app.issueToken(accountCode, ['runs:read', 'functions:read'])
    expect(codeOf(await retry('', reader))).toBe('FORBIDDEN')
    const other = await app.issueToken('other')
    for (const given of ['', '(hookId: "1")', '(webhookId: "1")'])
      expect((await retry(given, other)).data).toEqual({ retryQueuedRuns: 0 })
    expect((await retry('(hookId: "9007199254740991")')).data).toEqual({ retryQueuedRuns: 0 })
    const { data } = await ask('{ queuedRuns { totalCount nodes { state } } }')
    expect(data.queuedRuns).toEqual({ totalCount: 2, nodes: [{ state: 'DEAD' }, { state: 'DEAD' }] })
  })

  // The last test, because the gateway has a sandbox from here on.
  test('a run that died with its gateway, and one whose row cannot be read, are a line of the log each', async () => {
    await enqueue(1, 2)
    const webhook = { trigger: 'webhook', event: null, triggerId: 5, caseId: null } as const
    const { queue, functions } = app.app.store
    const version = { hash: 'a'.repeat(64), sourceCode: `fail('x')`, sourceBytes: 11, comment: null }
    const named = { name: 'announce', caseTypeCode: null, makeLive: true }
    await functions.save(by(accountCode), { ...named, ...version }, { functions: 10, versions: 10 })
    await queue.enqueue(by(accountCode), [queuedRun(webhook), queuedRun({ ...webhook, functionId: 99 })])
    const change = (set: string, id: number) =>
      writeRows(url, `update queued_runs set ${set} where account_code = '${accountCode}' and id = ${id}`)
    await change(`state = 'running', holder = 'gone', attempt = 8`, 1)
    await change(`caused_by = '{"secret'`, 2)
    app.logLines.length = 0
    await startSandboxes(app)
    const linesOf = () =>
      app.logLines
        .map(line => JSON.parse(line))
        .map(({ pid: _, hostname: __, ...line }) => line)
        .filter(({ msg, account }) => msg === 'queued run is dead' && account === accountCode)
        .toSorted((a, b) => a.queuedRun - b.queuedRun)
    await expect.poll(() => linesOf().length, { timeout: 10_000 }).toBe(4)
    const line = { level: 40, time: expect.anything(), msg: 'queued run is dead', account: accountCode }
    expect(linesOf()).toEqual([
      { ...line, queuedRun: 1, hook: 1, function: 'notify', case: 1, code: 'CRASHED' },
      { ...line, queuedRun: 2, hook: 1, function: 'notify', case: 2, code: 'CRASHED' },
      { ...line, queuedRun: 3, webhook: 5, function: 'announce', code: 'FAIL' },
      { ...line, queuedRun: 4, webhook: 5, functionId: 99, code: 'RUNTIME' },
    ])
    expect(app.logLines.join('')).not.toContain('"secret')
  })
})
