import type { ClaimRefusals } from './key-refusals.ts'

const maxWaitMs = 10_000

/** The time limit of a wait. It is created on demand, because most requests do not wait. */
export interface Deadline {
  /**
   * Starts the time limit at the first call. The signal aborts with the caller's own signal, and after 10 s with a
   * refusal.
   */
  start(): AbortSignal
  clear(): void
}

export function createDeadline(
  beginWaiting: () => AbortSignal,
  { stillRunning }: Pick<ClaimRefusals, 'stillRunning'>,
): Deadline {
  let signal: AbortSignal | null = null
  let timer: NodeJS.Timeout | undefined
  return {
    start() {
      if (signal !== null) return signal
      const late = new AbortController()
      timer = setTimeout(() => late.abort(stillRunning()), maxWaitMs)
      signal = AbortSignal.any([beginWaiting(), late.signal])
      return signal
    },
    clear: () => clearTimeout(timer),
  }
}
