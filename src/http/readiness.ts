import type { Logger } from 'pino'
import { endBefore } from '../signals/end-before.ts'

const pingTimeoutMs = 1_000
const checkEveryMs = 2_000

interface Dependencies {
  readonly store: { ping(): Promise<unknown> }
  readonly isSandboxReady: () => boolean
  readonly log: Pick<Logger, 'info'>
}

/** What `/ready` waits for (contract, section 5). */
export interface Readiness {
  /** Returns the names of what is not ready yet. */
  findUnready(): Promise<string[]>
  /** Ends the first start. Call it when the account and the token of an empty store exist. */
  endFirstStart(): void
  /** Checks from now on without being asked, so that the log has each change. Returns a function that stops it. */
  watch(everyMs?: number): () => void
}

export function createReadiness({ store, isSandboxReady, log }: Dependencies): Readiness {
  const isStoreReady = shareWhileRunning(() => answersInTime(store))
  let isFirstStart = true
  // Reasons that are logged already, until they are over.
  let logged: ReadonlySet<string> = new Set()
  async function findUnready(): Promise<string[]> {
    const isStoreThere = await isStoreReady()
    const unready = [
      ...(isStoreThere ? [] : ['the store']),
      ...(isFirstStart ? ['the first start'] : []),
      ...(isSandboxReady() ? [] : ['a sandbox']),
    ]
    for (const reason of unready) if (!logged.has(reason)) log.info({ waitingFor: reason }, 'not ready')
    if (unready.length === 0 && logged.size > 0) log.info({ waitedFor: [...logged] }, 'ready')
    logged = new Set(unready)
    return unready
  }
  return {
    findUnready,
    endFirstStart() {
      isFirstStart = false
    },
    watch(everyMs = checkEveryMs) {
      const timer = setInterval(() => void findUnready(), everyMs).unref()
      return () => clearInterval(timer)
    },
  }
}

// Shares one running check among all callers, because anyone may call `/ready` at any rate.
function shareWhileRunning<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}

function answersInTime(store: Dependencies['store']): Promise<boolean> {
  const error = () => new Error('The store did not answer in time.')
  const answer = endBefore(store.ping(), { after: { ms: pingTimeoutMs, error } })
  return answer.then(
    () => true,
    () => false,
  )
}
