import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after the time. Rejects with the reason of the signal when that is aborted, not with an `AbortError`. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
