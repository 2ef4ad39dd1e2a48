import { LRUCache } from 'lru-cache'
import { isName } from '../name.ts'
import type { Keyring } from './keyring.ts'
import type { Webhook, WebhookStore } from './webhook-store.ts'

// About 1 MB.
const maxUnknown = 10_000
// A webhook that another gateway creates is refused for up to this long.
const unknownTtlMs = 1_000
const maxReported = 1_000
const reportEveryMs = 60_000

/** An enabled webhook with its live secrets, as they were shown. */
export interface OpenWebhook {
  readonly webhook: Webhook
  readonly secrets: readonly string[]
}

export interface WebhookLookUp {
  /** Null for an unknown or disabled webhook. */
  find(accountCode: string, name: string): Promise<OpenWebhook | null>
  /** Looks up again what was unknown. */
  forget(accountCode: string, name: string): void
}

interface Dependencies {
  readonly store: Pick<WebhookStore, 'findByName'>
  readonly keyring: Keyring
  /** Called once a minute for a webhook with a live secret that no key opens. */
  readonly onUnreadable: (place: { readonly accountCode: string; readonly name: string }) => void
}

/**
 * Looks webhooks up for deliveries. Caches unknown names for a second, and asks the store for no name that a webhook
 * cannot have.
 */
export function createWebhookLookUp({ store, keyring, onUnreadable }: Dependencies): WebhookLookUp {
  const unknown = new LRUCache<string, true>({ max: maxUnknown, ttl: unknownTtlMs })
  const reported = new LRUCache<string, true>({ max: maxReported, ttl: reportEveryMs })
  // A look-up that began before a save may end after it.
  let saves = 0
  // Neither has a space.
  const keyOf = (accountCode: string, name: string) => `${accountCode} ${name}`

  return {
    async find(accountCode, name) {
      if (!isName(accountCode) || !isName(name)) return null
      const key = keyOf(accountCode, name)
      if (unknown.has(key)) return null
      const savesBefore = saves
      const found = await store.findByName(accountCode, name)
      if (found === null && saves === savesBefore) unknown.set(key, true)
      if (found === null || !found.webhook.enabled) return null
      const { webhook } = found
      const keys = keyring.forStoredSecrets()
      const secrets = found.secrets.map(
        secret => keys?.open(secret, { accountCode, webhookId: webhook.id, secretId: secret.id }) ?? null,
      )
      if (secrets.includes(null) && !reported.has(key)) {
        reported.set(key, true)
        onUnreadable({ accountCode, name })
      }
      return { webhook, secrets: secrets.filter(secret => secret !== null) }
    },
    forget(accountCode, name) {
      saves++
      unknown.delete(keyOf(accountCode, name))
    },
  }
}
