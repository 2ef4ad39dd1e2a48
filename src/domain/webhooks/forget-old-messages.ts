import { messageRetentionMs } from './message-runs.ts'
import type { WebhookMessageStore } from './message-store.ts'

const everyMs = 60_000
// In one transaction, which delays others.
const maxAtOnce = 1_000

interface Forgetting {
  readonly store: WebhookMessageStore
  readonly onError: (error: unknown) => void
}

/** Deletes old messages each minute, on any number of gateways. Gives a function that stops it. */
export function startForgettingMessages({ store, onError }: Forgetting): () => void {
  const timer = setInterval(() => forgetOldMessages(store).catch(onError), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Deletes messages that were accepted more than 24 hours ago, some at a time. */
export async function forgetOldMessages(store: WebhookMessageStore): Promise<void> {
  while ((await store.forgetOlderThan(messageRetentionMs, maxAtOnce)) > 0);
}
