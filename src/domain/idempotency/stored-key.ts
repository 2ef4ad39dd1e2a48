import { hash } from 'node:crypto'

/**
 * The keys of callers and the messages of webhooks are rows of one table. These two make the keys of that table, and
 * never the same one, whatever the texts are.
 */
export function toCallerKey(key: string): string {
  return key.includes(' ') ? `key ${key}` : key
}

/** Messages have hashes for their ids, which can be long. */
export function toMessageKey(webhookId: number, messageId: string): string {
  return `webhook ${webhookId} ${hash('sha256', messageId)}`
}
