import type { IdempotencyStore } from './idempotency.ts'
import { keptMs } from './keyed-requests.ts'

// An account whose keys hold all they may waits for it.
const everyMs = 60_000
// In one transaction, which others wait for.
const maxAtOnce = 200

interface Forgetting {
  readonly store: IdempotencyStore
  readonly onError: (error: unknown) => void
}

/** Forgets each minute the keys that are no longer kept; gives what ends it. Any number of gateways may do it. */
export function startForgettingKeys({ store, onError }: Forgetting): () => void {
  const timer = setInterval(() => forgetOldKeys(store).catch(onError), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Forgets the keys that are no longer kept, some of them at a time. */
export async function forgetOldKeys(store: IdempotencyStore): Promise<void> {
  while ((await store.forgetOlderThan(keptMs, maxAtOnce)) > 0);
}
