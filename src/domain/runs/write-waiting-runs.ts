import { hasCode } from '../../errors.ts'
import { Places } from '../../fairness/places.ts'
import type { RunEnd, RunStart } from '../scripts/run-record.ts'
import { toRow } from './run-row.ts'
import type { RunRow, RunStore } from './run-store.ts'
import { type InStore, toWrites } from './run-writes.ts'

const retryAfterMs = 1_000
// A store that fails after a longer time is silent, not away.
const silentMs = 1_000
// Time between two writes. Larger groups cost less for each run, but a run must be stored a second after its end.
const writeEveryMs = 400
// A large transaction delays others.
const maxRowsOfWrite = 200
const maxBytesOfWrite = 512 * 2 ** 10
const maxRuns = 10_000
// Accounts whose runs are written at once. One whose write takes long, for example because another program locks its
// rows, must not hold up the others.
const maxAccountsAtOnce = 4

/** A run from its beginning until it is kept. */
export interface RecordedRun {
  readonly start: RunStart
  readonly beganAt: number
  end: RunEnd | null
  inStore: InStore
  /** True while a save that it belongs to is not decided. */
  isDeferred: boolean
  /** The state in which it is kept instead of ended. */
  keptAs: 'superseded' | 'lost' | null
  /** What its long values take in memory. */
  bytes: number
  /** The write of its group; null if it is in none. */
  beingWritten: Promise<boolean> | null
}

interface Dependencies {
  readonly store: Pick<RunStore, 'write'>
  readonly gateway: string
  readonly hideSecrets: (text: string) => string
  readonly onError: (error: unknown, runs: number) => void
  /** Called when a run needs no more memory. */
  readonly release: (run: RecordedRun) => void
}

export interface WaitingRuns {
  add(run: RecordedRun): void
  remove(run: RecordedRun): void
  toRow(run: RecordedRun): RunRow
  write(): Promise<void>
  /** True if the last write took seconds and then failed. */
  readonly isSilent: boolean
  /** Resolves when the store has the run, with all that waits for this account, unless it does not answer. */
  whenWritten(run: RecordedRun): Promise<void>
  /** Writes if the last write is long enough ago. `hasLong`: there are runs to list as running. */
  writeWhenDue(hasLong: boolean): void
}

/** Writes the runs that wait, some at a time, and again if the store did not answer. */
export function createWaitingRuns(dependencies: Dependencies): WaitingRuns {
  const { store, gateway, hideSecrets, onError, release } = dependencies
  const waiting = new Map<string, Set<RecordedRun>>()
  // One write per account at a time. Runs that end meanwhile go into the next write.
  const writes = new Map<string, Promise<boolean>>()
  // All writes of an account, one after the other, until no run of it waits or the store does not answer.
  const rounds = new Map<string, Promise<void>>()
  const places = new Places({ each: 1, total: maxAccountsAtOnce })
  // The next try of an account for which the store did not answer.
  const retryAt = new Map<string, number>()
  let notBefore = 0
  let isSilent = false

  const toRowOf = ({ start, end, bytes, keptAs }: RecordedRun): RunRow => {
    const row = toRow(start, end, { hasRoom: bytes > 0, hideSecrets })
    return keptAs === null ? row : { ...row, state: keptAs }
  }

  function writeRound(accountCode: string): Promise<void> {
    const round = rounds.get(accountCode) ?? writeAll(accountCode).finally(() => rounds.delete(accountCode))
    rounds.set(accountCode, round)
    return round
  }

  async function writeAll(accountCode: string): Promise<void> {
    let isWritten = (await writes.get(accountCode)) ?? true
    while (isWritten && runsOf(accountCode).size > 0) {
      // A place for each write, because the runs of a busy account may have no end.
      const place = await places.take(accountCode)
      isWritten = await writeNext(accountCode).finally(place.leave)
    }
    if (!isWritten) return void retryAt.set(accountCode, performance.now() + retryAfterMs)
    waiting.delete(accountCode)
    retryAt.delete(accountCode)
  }

  /** False if the store did not answer. */
  function writeNext(accountCode: string): Promise<boolean> {
    const write = writes.get(accountCode) ?? writeSome(accountCode).finally(() => writes.delete(accountCode))
    writes.set(accountCode, write)
    return write
  }

  function runsOf(accountCode: string): Set<RecordedRun> {
    const runs = waiting.get(accountCode) ?? new Set()
    waiting.set(accountCode, runs)
    return runs
  }

  async function writeSome(accountCode: string): Promise<boolean> {
    const taken = takeSome(runsOf(accountCode)).map(run => ({ run, end: run.end }))
    const beingWritten = tryToWrite(
      accountCode,
      taken.map(({ run }) => run),
    )
    for (const { run } of taken) run.beingWritten = beingWritten
    const isWritten = await beingWritten
    for (const { run, end } of taken) {
      run.beingWritten = null
      run.inStore = stateAfter(run, isWritten)
      const isDone = isWritten && end !== null
      if (isDone) release(run)
      else if (mustBeWritten(run)) runsOf(accountCode).add(run)
    }
    return isWritten
  }

  /** False if the store did not answer. Other failures would come again, so the rows count as written. */
  async function tryToWrite(accountCode: string, runs: readonly RecordedRun[]): Promise<boolean> {
    const startedAt = performance.now()
    isSilent = false
    try {
      const rows = runs.map(run => ({ row: toRowOf(run), inStore: run.inStore }))
      await store.write(accountCode, gateway, toWrites(rows))
      return true
    } catch (error) {
      onError(error, runs.length)
      isSilent = performance.now() - startedAt > silentMs
      return !hasCode(error, 'UNAVAILABLE')
    }
  }

  return {
    add(run) {
      const { accountCode } = run.start
      const accountRuns = runsOf(accountCode)
      if (accountRuns.size >= maxRuns && run.inStore === 'no') {
        release(run)
        return onError(new Error('Too many runs wait.'), 1)
      }
      accountRuns.add(run)
    },
    remove: run => void waiting.get(run.start.accountCode)?.delete(run),
    toRow: toRowOf,
    async write() {
      await Promise.all([...waiting.keys()].map(writeRound))
    },
    get isSilent() {
      return isSilent
    },
    async whenWritten(run) {
      const { accountCode } = run.start
      let isAnswered = true
      while (isAnswered && (run.beingWritten !== null || waiting.get(accountCode)?.has(run))) {
        isAnswered = await writeNext(accountCode)
      }
    },
    writeWhenDue(hasLong) {
      const now = performance.now()
      if (waiting.size === 0 || (now < notBefore && !hasLong)) return
      notBefore = now + writeEveryMs
      for (const accountCode of waiting.keys()) {
        if (now >= (retryAt.get(accountCode) ?? 0)) void writeRound(accountCode)
      }
    },
  }
}

function stateAfter({ inStore }: RecordedRun, isWritten: boolean): InStore {
  if (isWritten) return 'yes'
  return inStore === 'no' ? 'maybe' : inStore
}

// Not a run whose save is not decided, nor one that is written as running and has not ended meanwhile.
function mustBeWritten({ isDeferred, inStore, end }: RecordedRun): boolean {
  return !isDeferred && (inStore !== 'yes' || end !== null)
}

function takeSome(runs: Set<RecordedRun>): RecordedRun[] {
  const taken: RecordedRun[] = []
  let bytes = 0
  for (const run of runs) {
    if (taken.length >= maxRowsOfWrite || (taken.length > 0 && bytes + run.bytes > maxBytesOfWrite)) break
    bytes += run.bytes
    taken.push(run)
    runs.delete(run)
  }
  return taken
}
