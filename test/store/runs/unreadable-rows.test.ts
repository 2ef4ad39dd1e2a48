import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRuns } from '../../../src/domain/runs/run-store.ts'
import { caseCommit } from '../cases/case-commit.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { writeRows } from '../databases/write-rows.ts'
import { queuedRun } from './queued-run.ts'
import { runRow } from './run-row.ts'

eachStore(harness => {
  const start = async () => {
    const url = await harness.freshUrl()
    return { store: await harness.open({ url }), corrupt: (statement: string) => writeRows(url, statement) }
  }
  const request = () => ({ holder: randomUUID(), leaseMs: 15_000, maxRuns: 4, retryAfterMs: () => 0 })

  test.each(['{', 'null', '7', '{"userId":"x"}'])(
    'a queued run whose `caused_by` is %s is dead, and other runs and accounts go on',
    async text => {
      const { store, corrupt } = await start()
      await store.queue.enqueue(by('a'), [queuedRun()])
      await store.queue.enqueue(by('a'), [queuedRun(), queuedRun({ caseId: 2 })])
      await store.queue.enqueue(by('b'), [queuedRun()])
      await corrupt(`update queued_runs set caused_by = '${text}' where account_code = 'a' and id = 1`)
      const { runs } = await store.queue.claim(request())
      expect(runs.map(({ accountCode, id }) => `${accountCode}${id}`).toSorted()).toEqual(['a3', 'b1'])
      const message = expect.stringMatching(
        /`caused_by` of row `1` in the table `queued_runs` cannot be read/,
      )
      expect(await store.queue.findByIds('a', [1])).toMatchObject([{ state: 'dead', lastError: { message } }])
      // The next run of its lane was waiting for it.
      const next = (await store.queue.claim(request())).runs
      expect(next.map(({ accountCode, id }) => `${accountCode}${id}`)).toEqual(['a2'])
      expect((await store.queue.claim(request())).runs).toEqual([])
    },
  )

  test('an unreadable error of a queued run is thrown for itself, and the list has the others', async () => {
    const { store, corrupt } = await start()
    await store.queue.enqueue(by('a'), [queuedRun(), queuedRun({ caseId: 2 })])
    await corrupt(`update queued_runs set last_error = '{' where id = 1`)
    const [first, second] = await store.queue.list('a', null, 0, 10)
    expect(() => first?.lastError).toThrow(/`last_error` of row `1` in the table `queued_runs`/)
    expect([first?.state, second?.lastError]).toEqual(['waiting', null])
  })

  test('an unreadable kept run is in the list, and its columns are thrown for themselves', async () => {
    const { store, corrupt } = await start()
    const [broken, good] = [runRow({ functionId: 1 }), runRow({ functionId: 1 })]
    await store.runs.write('a', 'one', { inserts: [broken, good], ends: [] })
    await corrupt(`update runs set name = '{', txn_source = '', text_bytes = 'x' where id = 1`)
    const { runs } = await store.runs.look('a', allRuns, null, 10)
    const [newest, oldest] = runs
    expect([newest?.name, oldest?.id]).toEqual(['notify', 1])
    for (const name of ['name', 'txnSource', 'textBytes'] as const) {
      expect(() => oldest?.[name]).toThrow(`of row \`${broken.runId}\` in the table \`runs\``)
    }
  })

  test('an unreadable case type is an error that names it, and other types go on', async () => {
    const { store, corrupt } = await start()
    for (const code of ['broken', 'good']) {
      await store.cases.saveType(by('a'), { code, indexedFields: ['x'], writtenFields: [], revision: 0 })
    }
    await corrupt(`update case_types set indexed_fields = '[' where code = 'broken'`)
    await expect(store.cases.findType('a', 'broken')).rejects.toThrow(
      /row `broken` in the table `case_types`/,
    )
    expect(await store.cases.findType('a', 'good')).toMatchObject({ indexedFields: ['x'] })
    // Reads of the same turn share a statement on PostgreSQL.
    await store.cases.commit(caseCommit({ caseTypeCode: 'good', revision: 1 }))
    await store.cases.commit(caseCommit({ caseTypeCode: 'broken', revision: 1 }))
    const [good, broken] = await Promise.allSettled([1, 2].map(id => store.cases.findWithType('a', id)))
    expect(good).toMatchObject({ status: 'fulfilled', value: { type: { code: 'good' } } })
    expect(broken).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/row `broken` in the table `case_types`/) },
    })
  })
})
