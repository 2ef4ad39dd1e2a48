import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { type KeptRun, type RunOfTransaction, runsOfTransaction, runToShow } from './run-documents.ts'

/** A run with the runs that may be inside it. */
export interface FoundRun {
  readonly run: KeptRun
  /** Runs of the same transaction that started while this one went on. */
  readonly others: readonly RunOfTransaction[]
  /** True if the transaction has more of them. */
  readonly hasMore: boolean
}

// A run that ended a moment ago is listed within a second.
const looks = 4
const pollEveryMs = 400

/** Returns the run with this id; null if there is none. Waits for a run that has just ended. */
export async function findRun(id: string): Promise<FoundRun | null> {
  const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
  for (let look = 0; look < (isId ? looks : 1); look++) {
    if (look > 0) await wait(pollEveryMs)
    const variables = { id: id.slice(0, 100), withFunction: allows('functions:read') }
    const { run } = await ask(runToShow, variables)
    if (run !== null) return { run, ...(await findOthers(run)) }
  }
  return null
}

/** Resolves after this time. */
export function wait(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** Resolves at once in a tab that is shown; in a hidden tab, when somebody looks at it. */
export function whenShown(): Promise<void> {
  return new Promise(resolve => {
    const check = (): void => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    check()
  })
}

async function findOthers({ id, txnID, startedAt, durationMs }: KeptRun): Promise<Omit<FoundRun, 'run'>> {
  const start = Date.parse(startedAt)
  const before = durationMs === null ? null : timeOf(start + Math.ceil(durationMs) + 1)
  const { runs } = await ask(runsOfTransaction, { txnID, after: timeOf(start - 1), before })
  return { others: runs.nodes.filter(other => other.id !== id), hasMore: runs.pageInfo.hasNextPage }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
