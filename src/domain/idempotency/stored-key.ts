import { hash } from 'node:crypto'

/**
 * Returns the stored form of a caller's idempotency key. Keys and the messages of webhooks share a table. This function
 * and `toMessageKey` never return the same text, whatever their input is.
 */
export function toCallerKey(key: string): string {
  return key.includes(' ') ? `key ${key}` : key
}

/** Returns the stored form of a webhook's message id. Ids are hashed, because they can be long. */
export function toMessageKey(webhookId: number, messageId: string): string {
  return `webhook ${webhookId} ${hash('sha256', messageId)}`
}
