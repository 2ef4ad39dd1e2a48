import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { noLimits, type StoreLimits } from '../../../src/domain/store-limits.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { functionLimits, versionOf } from '../cases/save-function.ts'
import { by } from '../databases/origin.ts'
import { queuedRun } from '../runs/queued-run.ts'

const folder = makeTempFolder()
const statements: string[] = []
const stores: Store[] = []

async function open(limits: Partial<StoreLimits>): Promise<Store> {
  const store = await openStore({
    url: `sqlite:${folder.path}/${stores.length}.db`,
    limits: { ...noLimits, ...limits },
    onStatement: statement => statements.push(statement),
  })
  stores.push(store)
  return store
}

let fullQueue: Store
let fullAccounts: Store
beforeAll(async () => {
  fullQueue = await open({ queueBytes: 1 })
  fullAccounts = await open({ accountBytes: 10_000 })
})
afterAll(async () => {
  for (const store of stores) await store.close()
  folder.remove()
})

let users = 0
const long = 'x'.repeat(20_000)
const count = (pattern: RegExp) => statements.filter(statement => pattern.test(statement)).length

/** Writes the refused change between two changes of a neighbour, in one group. */
async function writeTogether(store: Store, refused: () => Promise<unknown>): Promise<void> {
  // On a busy machine changes that come together may be parted for the time they take.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  statements.length = 0
  const add = () => {
    users += 1
    return store.memberships.add(by('neighbour'), { userId: users, teamId: 1 })
  }
  const first = add()
  const refusal = expect(refused()).rejects.toMatchObject({ code: 'OVERLOADED' })
  const added = await Promise.all([first, add()])
  await refusal
  expect(added).toMatchObject([{ kind: 'added' }, { kind: 'added' }])
}

function expectWrittenOnce(): void {
  expect({
    begins: count(/^BEGIN/),
    rollBacks: count(/^ROLLBACK/),
    additions: count(/^\s*insert into "team_memberships"/),
  }).toEqual({ begins: 1, rollBacks: 0, additions: 2 })
}

test('a queue at its maximum of bytes costs the changes of other accounts nothing', async () => {
  await writeTogether(fullQueue, () => fullQueue.queue.enqueue(by('a'), [queuedRun()]))
  expectWrittenOnce()
  expect(await fullQueue.queue.count('a', null)).toBe(0)
})

test('a run that an account has no room for costs the changes of other accounts nothing', async () => {
  await writeTogether(fullAccounts, () =>
    fullAccounts.queue.enqueue(by('b'), [queuedRun({ input: `"${long}"` })]),
  )
  expectWrittenOnce()
  expect(await fullAccounts.queue.count('b', null)).toBe(0)
  expect(await fullAccounts.accounts.findStoredBytes('b')).toBe(0)
})

test('a message that cannot be queued costs other accounts nothing, and its claim is gone', async () => {
  const message = {
    accountCode: 'c',
    key: 'webhook 1 m',
    fingerprint: Buffer.from('same'),
    holder: 'one',
    leaseMs: 60_000,
    retentionMs: 60_000,
    isRepeatable: true,
    maxBytes: 10_000,
  }
  await fullQueue.accounts.ensure('c')
  const given = { origin: by('c'), message, run: queuedRun(), writeAnswer: () => 'queued' }
  await writeTogether(fullQueue, () => fullQueue.webhooks.queueMessage(given))
  expectWrittenOnce()
  expect(await fullQueue.idempotency.claim({ ...message, holder: 'two' })).toEqual({ kind: 'claimed' })
})

test('a function that an account has no room for costs the changes of other accounts nothing', async () => {
  const save = () => fullAccounts.functions.save(by('d'), versionOf(`// ${long}`), functionLimits)
  await writeTogether(fullAccounts, save)
  expectWrittenOnce()
  expect(await fullAccounts.functions.listAfter('d', 0, 10)).toEqual([])
  expect(await fullAccounts.accounts.findStoredBytes('d')).toBe(0)
})
