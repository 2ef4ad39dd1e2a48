import { hash } from 'node:crypto'

/**
 * The keys of callers and the messages of webhooks are rows of one table. These two functions make the keys of that
 * table. They never make the same key, whatever the texts are.
 */
export function toCallerKey(key: string): string {
  return key.includes(' ') ? `key ${key}` : key
}

/** Message ids are hashed, because they can be long. */
export function toMessageKey(webhookId: number, messageId: string): string {
  return `webhook ${webhookId} ${hash('sha256', messageId)}`
}
