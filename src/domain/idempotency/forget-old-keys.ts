import type { IdempotencyStore } from './idempotency.ts'
import { retentionMs } from './keyed-requests.ts'

// An account whose keys take the maximum waits for it.
const everyMs = 60_000
// In one transaction, which delays others.
const maxAtOnce = 200

interface Forgetting {
  readonly store: IdempotencyStore
  readonly onError: (error: unknown) => void
}

/** Deletes expired keys each minute, on any number of gateways. Gives a function that stops it. */
export function startForgettingKeys({ store, onError }: Forgetting): () => void {
  const timer = setInterval(() => forgetOldKeys(store).catch(onError), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Deletes expired keys, some at a time. */
export async function forgetOldKeys(store: IdempotencyStore): Promise<void> {
  while ((await store.forgetOlderThan(retentionMs, maxAtOnce)) > 0);
}
