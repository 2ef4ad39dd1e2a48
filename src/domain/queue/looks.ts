/** How often to look without a signal. */
export const lookEveryMs = 5_000
/** Another gateway may hold the rows of an account that is due. */
export const minPauseMs = 10

interface Dependencies {
  /** Gives the time until the next run is due. */
  readonly findNext: () => Promise<number>
  /** Claims what is due, and gives the time until the next look. */
  readonly claimSome: () => Promise<number>
  /** Begins runs that were claimed before. */
  readonly beginReady: () => void
  readonly onError: (error: unknown) => void
}

export interface Looks {
  /** Claims now, or after the claim that goes on. */
  wake(): void
  /** Reads when the next run is due, which costs less than a claim. */
  wakeIfDue(): void
  /** Looks after this time at the latest. */
  lookIn(ms: number): void
  stop(): void
  /** Resolves when no look goes on. */
  whenOver(): Promise<void>
}

/** Decides when to claim: on a signal, at the time of the next due run, and every five seconds. One look at a time. */
export function createLooks({ findNext, claimSome, beginReady, onError }: Dependencies): Looks {
  let isLooking = false
  let looking = Promise.resolve()
  let isWoken = false
  let isStopped = false
  let lookAt = 0
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    isWoken = true
    if (!isLooking) looking = look(true)
  }

  function wakeIfDue(): void {
    if (!isLooking) looking = look(false)
  }

  function plan(ms: number): void {
    clearTimeout(timer)
    const waitMs = Math.max(minPauseMs, Math.min(ms, lookEveryMs))
    lookAt = performance.now() + waitMs
    if (!isStopped) timer = setTimeout(wakeIfDue, waitMs).unref()
  }

  async function look(isSure: boolean): Promise<void> {
    isLooking = true
    isWoken = isSure
    clearTimeout(timer)
    lookAt = Number.POSITIVE_INFINITY
    beginReady()
    let nextMs = isSure ? lookEveryMs : await findNext().catch(report)
    isWoken ||= nextMs === 0
    while (isWoken && !isStopped) {
      isWoken = false
      nextMs = await claimSome().catch(report)
    }
    isLooking = false
    const now = performance.now()
    // The timer may have fired meanwhile.
    if (lookAt <= now) plan(minPauseMs)
    else if (now + nextMs < lookAt) plan(nextMs)
  }

  function report(error: unknown): number {
    onError(error)
    return lookEveryMs
  }

  return {
    wake,
    wakeIfDue,
    lookIn(ms) {
      if (ms === 0) wake()
      else if (performance.now() + ms < lookAt) plan(ms)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
    whenOver: () => looking,
  }
}
