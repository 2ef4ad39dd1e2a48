import type { EventStore } from '../port.ts'
import { allRuns, type RunStore, type StoredRun } from './run-store.ts'

/** A run that has ended, or a gap: runs that ended faster than they could be read. */
export interface EndedRun {
  /**
   * Grows with each ended run that this gateway finds, of any account, and when it begins to follow an account. No gap
   * has the number of a run, because streams share a result by its number.
   */
  readonly sequence: number
  /** Null for a gap. */
  readonly run: StoredRun | null
}

// Maximum number of ended runs of an account in memory, and of runs that are looked at in one step.
const maxEnded = 200
const maxNew = 500
// Maximum number of runs of an account whose end is awaited. Runs past it wait for room, and a gap says that some of
// them may have ended meanwhile.
const maxRunning = 1_000
const stepEveryMs = 400
const forgetAfterMs = 30_000

interface AccountRuns {
  readonly ended: EndedRun[]
  /** Runs up to this sequence are not in memory any more. */
  dropped: number
  lastSequence: number
  /** The newest run that was seen. */
  lastId: number
  /** Runs whose end is awaited. */
  readonly running: Set<string>
  /** True if more runs may go on than are awaited. */
  isShort: boolean
  steppedAt: number
  step: Promise<void> | null
}

type Parts = Pick<RunStore, 'look' | 'findByRunIds'>

/**
 * Finds runs as they end, at any gateway of the store, for accounts that are followed. A run is written once it has
 * ended, or as running and again at its end, so a step reads the new rows and those of the runs that went on.
 */
export function createEndedRuns(store: Parts): Pick<EventStore<EndedRun>, 'listAfter' | 'newest'> {
  const accounts = new Map<string, AccountRuns>()
  // One for all accounts, so that it never falls for an account that was forgotten meanwhile.
  let counter = 0

  async function begin(accountCode: string): Promise<AccountRuns> {
    const newest = await store.look(accountCode, allRuns, null, 1)
    const lastId = newest.runs[0]?.id ?? 0
    // A follower from before the account was forgotten has an earlier sequence, so it finds a gap.
    counter += 2
    const account: AccountRuns = {
      ended: [],
      dropped: counter,
      lastSequence: counter,
      lastId,
      running: new Set(),
      isShort: false,
      steppedAt: performance.now(),
      step: null,
    }
    await awaitRunning(accountCode, account)
    const known = accounts.get(accountCode) ?? account
    accounts.set(accountCode, known)
    return known
  }

  // Awaits the runs that go on, if there is room. Those that began since are left to the next step.
  async function awaitRunning(accountCode: string, account: AccountRuns): Promise<void> {
    const filter = { ...allRuns, state: 'running' } as const
    const { runs } = await store.look(accountCode, filter, account.lastId + 1, maxRunning + 1)
    account.isShort = false
    for (const run of runs) note(account, run)
  }

  async function step(accountCode: string, account: AccountRuns): Promise<void> {
    const { runs } = await store.look(accountCode, allRuns, null, maxNew)
    goBack(account, runs)
    const fresh = runs.filter(({ id }) => id > account.lastId).reverse()
    const waited = await store.findByRunIds(accountCode, [...account.running])
    const isBehind = fresh.length === maxNew
    const mayMiss = account.isShort
    account.lastId = fresh.at(-1)?.id ?? account.lastId
    const found = new Set(waited.map(({ runId }) => runId))
    for (const runId of account.running) if (!found.has(runId)) account.running.delete(runId)
    if (isBehind) push(account, null)
    account.isShort ||= isBehind
    for (const run of [...waited, ...fresh]) note(account, run)
    if (!account.isShort || account.running.size >= maxRunning) return
    await awaitRunning(accountCode, account)
    if (mayMiss) push(account, null)
  }

  // After a fail-over to a copy that lags, ids begin again below those that were seen. The copy may have got runs
  // since, which a gap stands for. The newest run may also have been deleted for its age; then there is mostly none.
  function goBack(account: AccountRuns, [newest]: readonly StoredRun[]): void {
    const newestId = newest?.id ?? 0
    if (newestId >= account.lastId) return
    account.lastId = newestId
    if (newestId > 0) push(account, null)
  }

  function note(account: AccountRuns, run: StoredRun): void {
    if (run.state !== 'running') {
      account.running.delete(run.runId)
      push(account, run)
    } else if (account.running.size < maxRunning) account.running.add(run.runId)
    else account.isShort ||= !account.running.has(run.runId)
  }

  // Takes two numbers: the second one is that of a gap up to this run.
  function push(account: AccountRuns, run: StoredRun | null): void {
    counter += 2
    account.lastSequence = counter
    account.ended.push({ sequence: counter, run })
    if (account.ended.length > maxEnded) account.dropped = account.ended.shift()?.sequence ?? account.dropped
  }

  // All followers of an account share a step.
  async function readOn(accountCode: string): Promise<AccountRuns> {
    const account = accounts.get(accountCode) ?? (await begin(accountCode))
    const now = performance.now()
    if (account.step === null && now - account.steppedAt >= stepEveryMs) {
      account.steppedAt = now
      account.step = step(accountCode, account).finally(() => {
        account.step = null
      })
    }
    await account.step
    forgetOthers(now)
    return account
  }

  function forgetOthers(now: number): void {
    for (const [code, { steppedAt }] of accounts) if (now - steppedAt > forgetAfterMs) accounts.delete(code)
  }

  return {
    async listAfter(accountCode, sequence, limit) {
      const { ended, dropped } = await readOn(accountCode)
      const gap = sequence < dropped ? [{ sequence: dropped + 1, run: null }] : []
      return [...gap, ...ended.filter(run => run.sequence > sequence)].slice(0, limit)
    },
    async newest(accountCode) {
      return (await readOn(accountCode)).lastSequence
    },
  }
}
