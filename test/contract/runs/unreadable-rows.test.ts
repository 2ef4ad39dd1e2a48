import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { by } from '../../store/databases/origin.ts'
import { writeRows } from '../../store/databases/write-rows.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'
import { runRow } from '../../store/runs/run-row.ts'

// The gateway has no sandbox, so nothing that is queued runs.
describe.each(['SQLite', 'PostgreSQL'])('on %s', engine => {
  const folder = makeTempFolder()
  let app: TestApp
  let corrupt: (statement: string) => Promise<void>

  beforeAll(async () => {
    const url = engine === 'SQLite' ? `sqlite:${folder.path}/rostrum.db` : await createDatabase()
    app = await startApp({ DATABASE_URL: url })
    corrupt = statement => writeRows(url, statement)
  })
  afterAll(async () => {
    await app.close()
    folder.remove()
  })

  test('an unreadable case or event fails the fields that read it, and is named', async () => {
    for (let n = 0; n < 2; n++) {
      await app.send('/platform/cases', {
        method: 'POST',
        body: { case: { case_type_code: 'incident', data: { n } } },
      })
    }
    await corrupt(`update cases set data = '{"n":' where id = 1`)
    await corrupt(`update case_events set changed_fields = 'n' where id = 1`)
    const answer = (fields: string) =>
      app.graphql(`{ case(id: "2") { data } cases(first: 5) { nodes { ${fields} } } }`)
    expect((await answer('id version')).body.data.cases.nodes).toHaveLength(2)
    expect((await answer('id data')).body.errors).toMatchObject([
      { message: '`data` of row `1` in the table `cases` cannot be read. Repair it, or delete the row.' },
    ])
    const one = (await app.graphql('{ broken: case(id: "1") { data } good: case(id: "2") { data } }')).body
    expect(one.data).toEqual({ broken: null, good: { data: { n: 1 } } })
    const events = (await app.graphql('{ caseEvents(first: 5) { nodes { changedFields } } }')).body.errors
    expect(events).toMatchObject([
      { message: expect.stringMatching(/^`changed_fields` of row `1` in the table/) },
    ])
    const saved = await app.send('/platform/cases/1', { method: 'PUT', body: { case: { data: { n: 5 } } } })
    expect([saved.status, saved.body.detail]).toEqual([
      500,
      expect.stringContaining('row `1` in the table `cases`'),
    ])
  })

  test('an unreadable run, kept or queued, fails the fields that read it, and is named', async () => {
    const { runs, queue } = app.app.store
    const texts = { payload: '{"a":1}', message: '"no"' }
    const textBytes = { payload: 7, message: 4 }
    const rows = [1, 2, 3].map(() => runRow({ runId: randomUUID(), texts, textBytes }))
    await runs.write('demo', 'one', { inserts: rows, ends: [] })
    await queue.enqueue(by('demo'), [queuedRun(), queuedRun({ caseId: 2 })])
    await corrupt(`update runs set name = 'x' where id = 1`)
    await corrupt(`update run_outputs set payload = '{"a":', message = 'x' where id = 2`)
    await corrupt(`update queued_runs set last_error = 'x' where id = 1`)
    const [first, second, third] = rows.map(({ runId }) => runId)
    const { body } = await app.graphql(
      `{ runs(first: 5) { nodes { id payload message } } queuedRuns(first: 5) { nodes { id lastError { code } } }
         run(id: "${first}") { name } }`,
    )
    expect(body.data.runs.nodes).toEqual([
      { id: third, payload: { a: 1 }, message: 'no' },
      { id: second, payload: null, message: null },
      { id: first, payload: { a: 1 }, message: 'no' },
    ])
    expect(body.data.queuedRuns.nodes).toEqual([
      { id: '1', lastError: null },
      { id: '2', lastError: null },
    ])
    expect(body.data.run).toBeNull()
    const places = body.errors
      .map(({ message }: { message: string }) => message.split(' cannot')[0])
      .toSorted()
    expect(places).toEqual(
      [
        '`last_error` of row `1` in the table `queued_runs`',
        `\`message\` of row \`${second}\` in the table \`run_outputs\``,
        `\`name\` of row \`${first}\` in the table \`runs\``,
        `\`payload\` of row \`${second}\` in the table \`run_outputs\``,
      ].toSorted(),
    )
  })

  test('a run tells a null input or result from one that is not kept', async () => {
    const kept = runOf({ input: 'null', options: '{}', payload: 'null' })
    const withLongOptions = runOf({ input: 'null' })
    const tooLong = runOf({ options: '{}' })
    // Old inputs are deleted before their run, which keeps the number of their bytes.
    const old = { ...kept, runId: randomUUID(), texts: { payload: 'null' } }
    await app.app.store.runs.write('demo', 'one', {
      inserts: [kept, withLongOptions, tooLong, old],
      ends: [],
    })
    const { body } = await app.graphql(
      '{ runs(first: 4) { nodes { id input isInputKept payload isPayloadKept } } }',
    )
    const nulls = { input: null, payload: null }
    expect(body.data.runs.nodes).toEqual([
      { ...nulls, id: old.runId, isInputKept: false, isPayloadKept: true },
      { ...nulls, id: tooLong.runId, isInputKept: false, isPayloadKept: false },
      { ...nulls, id: withLongOptions.runId, isInputKept: true, isPayloadKept: false },
      { ...nulls, id: kept.runId, isInputKept: true, isPayloadKept: true },
    ])
  })
})

function runOf(texts: Readonly<Record<string, string>>) {
  const textBytes = Object.fromEntries(Object.entries(texts).map(([kind, text]) => [kind, text.length]))
  return runRow({ startedAt: Date.now(), texts, textBytes })
}
