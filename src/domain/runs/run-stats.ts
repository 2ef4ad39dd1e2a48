import { LRUCache } from 'lru-cache'
import type { RunOutcome } from '../scripts/run-record.ts'
import { narrowFilter } from './narrow-filter.ts'
import { allRuns, type RunFilter, type RunStore, type StoredRun } from './run-store.ts'

/** Figures about the runs of the last hour. */
export interface RunStats {
  /** The minutes in which runs started, the oldest first. */
  readonly minutes: readonly { readonly at: Date; readonly runs: number }[]
  readonly outcomes: readonly { readonly outcome: RunOutcome; readonly runs: number }[]
  /** Percentiles of the durations of the runs that ended, in milliseconds; null without such a run. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly counted: number
  /** False if runs of the last hour may be left out, because there are too many newer ones. */
  readonly isComplete: boolean
}

export interface StatsRequest {
  readonly accountCode: string
  readonly filter: RunFilter
  /** As for `Runs.list`. */
  readonly text: string | null
}

interface StatsParts {
  readonly store: Pick<RunStore, 'look'>
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
}

const hourMs = 3_600_000
const minuteMs = 60_000
// Runs that are looked at: 10 times 1,000, each in a turn of the account.
const maxLooks = 10
const runsOfLook = 1_000
// Runs are written in the order of their ends, so an older one may have started this much later.
const maxDisorderMs = 600_000

const cacheMs = 5_000
const maxCached = 500
const maxKeyLength = 1_000

/** Returns a function that counts the runs of the last hour. It returns the same figures for some seconds. */
export function createRunStats({ store, waitForTurn }: StatsParts) {
  const cached = new LRUCache<string, Promise<RunStats>>({ max: maxCached, ttl: cacheMs })

  async function isOlder(accountCode: string, before: number, since: number): Promise<boolean> {
    const [run] = (await store.look(accountCode, allRuns, before, 1)).runs
    return run === undefined || run.startedAt < since - maxDisorderMs
  }

  // The clock of another gateway may be ahead. After a clock was set back, some runs have begun in a far future.
  async function findRuns({ accountCode, filter: given, text }: StatsRequest, since: number) {
    await waitForTurn(accountCode)
    const filter = await narrowFilter({ store, accountCode, filter: given, text })
    const found: StoredRun[] = []
    if (filter === null) return { found, isComplete: true }
    for (let looks = 0, before: number | null = null; looks < maxLooks; looks++) {
      await waitForTurn(accountCode)
      const { runs, next } = await store.look(accountCode, filter, before, runsOfLook)
      found.push(...runs.filter(({ startedAt }) => startedAt >= since && startedAt <= since + 2 * hourMs))
      // A look that reads no other rows than it returns does not say where the next one begins.
      before = next ?? (runs.length === runsOfLook ? (runs.at(-1)?.id ?? null) : null)
      if (before === null || (await isOlder(accountCode, before, since))) return { found, isComplete: true }
    }
    return { found, isComplete: false }
  }

  async function count(request: StatsRequest): Promise<RunStats> {
    const { found, isComplete } = await findRuns(request, Date.now() - hourMs)
    return { ...summarize(found), isComplete }
  }

  return (request: StatsRequest): Promise<RunStats> => {
    const key = JSON.stringify(request)
    const known = cached.get(key)
    if (known !== undefined) return known
    const counting = count(request)
    if (key.length > maxKeyLength) return counting
    cached.set(key, counting)
    counting.catch(() => cached.delete(key))
    return counting
  }
}

const outcomes: readonly RunOutcome[] = ['exit', 'fail', 'error']

function summarize(runs: readonly StoredRun[]): Omit<RunStats, 'isComplete'> {
  const minutes = new Map<number, number>()
  for (const { startedAt } of runs) {
    const at = startedAt - (startedAt % minuteMs)
    minutes.set(at, (minutes.get(at) ?? 0) + 1)
  }
  const durations = runs.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b)
  const percentile = (share: number) => durations[Math.ceil(share * durations.length) - 1] ?? null
  return {
    minutes: [...minutes].sort(([a], [b]) => a - b).map(([at, count]) => ({ at: new Date(at), runs: count })),
    outcomes: outcomes.map(outcome => ({
      outcome,
      runs: runs.filter(run => run.outcome === outcome).length,
    })),
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
    counted: runs.length,
  }
}
