import { RostrumError } from '../../errors.ts'
import { AccountBudget } from '../../limits/account-budget.ts'
import type { RunEnd, RunRecorder, RunRecording, RunStart } from './run-record.ts'
import { toRow } from './run-row.ts'
import type { RunRow, RunStore } from './run-store.ts'

const listAfterMs = 250
const retryAfterMs = 1_000
const lookEveryMs = 100
// Larger groups cost less for each run. A run is to be there within a second of its end.
const writeEveryMs = 400
// In one transaction, which delays others.
const maxRowsOfWrite = 200
const maxBytesOfWrite = 512 * 2 ** 10
// What runs that wait to be written may hold. Past it they are kept without their long values.
const maxBytes = { account: 16 * 2 ** 20, total: 64 * 2 ** 20 }
const maxRuns = 10_000

interface Dependencies {
  readonly store: Pick<RunStore, 'write'>
  /** The id of this gateway. */
  readonly gateway: string
  /** Replaces secrets in a text that a script wrote. */
  readonly hideSecrets: (text: string) => string
  readonly onError: (error: unknown, runs: number) => void
}

export interface RunKeeping extends RunRecorder {
  /** Writes what waits, and stops. */
  close(): Promise<void>
}

interface Recorded {
  readonly start: RunStart
  readonly beganAt: number
  end: RunEnd | null
  isInserted: boolean
  bytes: number
}

interface Written {
  readonly run: Recorded
  readonly row: RunRow
}

/**
 * Keeps runs in groups, some time after they end (contract, section 7). A run that still goes on after 250 ms is
 * written as running first, so that it is found if this process dies.
 *
 *   begun ──250 ms──▶ waits as running ──▶ written as running ──▶ ended, waits ──▶ written
 *     └───── ended within 250 ms ──▶ waits ──▶ written
 */
export function createRunKeeping({ store, gateway, hideSecrets, onError }: Dependencies): RunKeeping {
  const begun = new Set<Recorded>()
  const waiting = new Map<string, Set<Recorded>>()
  const budget = new AccountBudget(maxBytes, { describe: () => '', retryAfterSeconds: 1 })
  let writing: Promise<void> | null = null
  let notBefore = 0
  let isFailing = false

  function wait(run: Recorded): void {
    const { accountCode } = run.start
    const ofAccount = waiting.get(accountCode) ?? new Set()
    if (ofAccount.size >= maxRuns && !run.isInserted) {
      budget.release(accountCode, run.bytes)
      return onError(new Error('Too many runs wait.'), 1)
    }
    ofAccount.add(run)
    waiting.set(accountCode, ofAccount)
  }

  /** True if there are runs to list as running. */
  function listLong(): boolean {
    const now = performance.now()
    let isAny = false
    for (const run of begun) {
      if (now - run.beganAt < listAfterMs) break
      begun.delete(run)
      wait(run)
      isAny = true
    }
    return isAny
  }

  function holdTexts(run: Recorded, end: RunEnd): void {
    const { accountCode } = run.start
    const logs = end.logs.reduce((sum, entry) => sum + entry.bytes, 0)
    const bytes = run.start.bytes + 2 * (end.message?.length ?? 0) + end.payloadBytes + logs
    const isFull =
      budget.heldBy(accountCode) + bytes > maxBytes.account || budget.total + bytes > maxBytes.total
    run.bytes = isFull ? 0 : bytes
    run.end = isFull ? { ...end, payload: null, message: null, logs: [] } : end
    budget.add(accountCode, run.bytes)
  }

  const write = () => {
    notBefore = performance.now() + writeEveryMs
    writing ??= writeAll().finally(() => {
      writing = null
    })
    return writing
  }

  async function writeAll(): Promise<void> {
    for (const [accountCode, runs] of waiting) {
      let isWritten = true
      while (isWritten && runs.size > 0) isWritten = await writeSome(accountCode, runs)
      if (isWritten) waiting.delete(accountCode)
      else notBefore = performance.now() + retryAfterMs
      isFailing = !isWritten
    }
  }

  async function writeSome(accountCode: string, runs: Set<Recorded>): Promise<boolean> {
    const taken = takeSome(runs)
    const rows = taken.map(run => ({
      run,
      end: run.end,
      row: toRow(run.start, run.end, { hasRoom: run.bytes > 0, hideSecrets }),
    }))
    if (!(await tryToWrite(accountCode, rows))) {
      for (const run of taken) runs.add(run)
      return false
    }
    for (const { run, end } of rows) {
      run.isInserted = true
      if (end !== null) budget.release(accountCode, run.bytes)
      // It ended while it was written as running.
      else if (run.end !== null) runs.add(run)
    }
    return true
  }

  /** False if the store did not answer. Other failures would come again, so the rows count as written. */
  async function tryToWrite(accountCode: string, rows: readonly Written[]): Promise<boolean> {
    const rowsOf = (isInserted: boolean): RunRow[] =>
      rows.filter(({ run }) => run.isInserted === isInserted).map(({ row }) => row)
    try {
      await store.write(accountCode, gateway, { inserts: rowsOf(false), ends: rowsOf(true) })
      return true
    } catch (error) {
      onError(error, rows.length)
      return !(error instanceof RostrumError && error.code === 'UNAVAILABLE')
    }
  }

  const timer = setInterval(() => {
    const hasLong = listLong()
    const isDue = performance.now() >= notBefore
    if (waiting.size > 0 && (isDue || (hasLong && !isFailing))) void write()
  }, lookEveryMs)
  timer.unref()

  return {
    begin(start): RunRecording {
      const run: Recorded = { start, beganAt: performance.now(), end: null, isInserted: false, bytes: 0 }
      begun.add(run)
      return {
        end(end) {
          begun.delete(run)
          holdTexts(run, end)
          wait(run)
        },
        drop() {
          // It was listed as running already.
          if (!begun.delete(run)) this.end(notBegun)
        },
      }
    },
    async close() {
      clearInterval(timer)
      listLong()
      await write()
      await write()
    },
  }
}

const notBegun: RunEnd = {
  outcome: 'error',
  message: null,
  error: { code: 'CRASHED', message: 'No sandbox began the run', line: null, column: null, stack: null },
  payload: null,
  payloadBytes: 0,
  logs: [],
  durationMs: 0,
}

function takeSome(runs: Set<Recorded>): Recorded[] {
  const taken: Recorded[] = []
  let bytes = 0
  for (const run of runs) {
    if (taken.length >= maxRowsOfWrite || (taken.length > 0 && bytes + run.bytes > maxBytesOfWrite)) break
    bytes += run.bytes
    taken.push(run)
    runs.delete(run)
  }
  return taken
}
