import type { ClaimRefusals } from './key-refusals.ts'

const maxWaitMs = 10_000

/** The time limit of a wait. Most requests do not wait, so it starts on demand. */
export interface Deadline {
  /** Starts the deadline, once. Aborts with the caller's own signal, and with a refusal after 10 s. */
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
