import { LRUCache } from 'lru-cache'
import type { SpanParent } from '../../tracing/span.ts'
import { traceStore } from '../../tracing/trace-store.ts'
import { isName } from '../name.ts'
import type { Keyring } from './keyring.ts'
import { maxSecrets } from './verify-delivery.ts'
import type { DeliverableWebhook, Webhook, WebhookStore } from './webhook-store.ts'

// Maximum number of cached webhooks, a few MB.
const maxKnown = 10_000
const maxReported = 1_000
const reportEveryMs = 60_000

/** A webhook with its live secrets, opened. */
export interface OpenWebhook {
  readonly webhook: Webhook
  readonly secrets: readonly string[]
}

export interface WebhookLookUp {
  /** Null for an unknown webhook. */
  find(accountCode: string, name: string, span?: SpanParent | null): Promise<OpenWebhook | null>
  /** Clears the cache. Call it after a change of a webhook. */
  forget(): void
}

interface Dependencies {
  readonly store: Pick<WebhookStore, 'findByName' | 'changeMark'>
  readonly keyring: Keyring
  /** Called once a minute for a webhook with a live secret that no key opens. */
  readonly onUnreadable: (place: { readonly accountCode: string; readonly name: string }) => void
}

interface Wanted {
  readonly accountCode: string
  readonly name: string
  readonly span: SpanParent | null
}

interface Known {
  /** Null for an unknown webhook. */
  readonly open: OpenWebhook | null
  /** In milliseconds since 1970. */
  readonly until: number
}

/**
 * Looks webhooks up for deliveries. If the store notices every change, it caches webhooks until a secret ends, and
 * unknown names too. Otherwise it caches nothing. It does the same work for every name that a webhook can have, and
 * opens the same number of secrets, so that its time does not reveal which webhooks exist.
 */
export function createWebhookLookUp({ store, keyring, onUnreadable }: Dependencies): WebhookLookUp {
  const known = new LRUCache<string, Known>({ max: maxKnown })
  const reported = new LRUCache<string, true>({ max: maxReported, ttl: reportEveryMs })
  let knownMark: number | null = null
  // A look-up that began before a change may end after it.
  let changes = 0

  function open(accountCode: string, { webhook, secrets: sealed }: DeliverableWebhook): OpenWebhook {
    const keys = keyring.forStoredSecrets()
    const { id: webhookId, name } = webhook
    const secrets = sealed.map(
      secret => keys?.open(secret, { accountCode, webhookId, secretId: secret.id }) ?? null,
    )
    const key = keyOf(accountCode, name)
    if (webhook.enabled && secrets.includes(null) && !reported.has(key)) {
      reported.set(key, true)
      onUnreadable({ accountCode, name })
    }
    return { webhook, secrets: secrets.filter(secret => secret !== null) }
  }

  async function read({ accountCode, name, span }: Wanted, mark: number | null): Promise<OpenWebhook | null> {
    const changesBefore = changes
    const found = await traceStore(store, span).findByName(accountCode, name)
    const opened = found === null ? null : open(accountCode, found)
    const live = found?.secrets.length ?? 0
    for (let count = live; count < maxSecrets; count++) keyring.forStoredSecrets()?.openDecoy()
    if (mark !== null && changes === changesBefore && mark === knownMark) {
      known.set(keyOf(accountCode, name), { open: opened, until: endOf(found) })
    }
    return opened
  }

  return {
    async find(accountCode, name, span = null) {
      if (!isName(accountCode) || !isName(name)) return null
      const mark = store.changeMark()
      if (mark !== knownMark) known.clear()
      knownMark = mark
      const cached = known.get(keyOf(accountCode, name))
      return cached !== undefined && Date.now() < cached.until
        ? cached.open
        : read({ accountCode, name, span }, mark)
    },
    forget() {
      changes++
      known.clear()
    },
  }
}

// Neither part can contain a space.
const keyOf = (accountCode: string, name: string) => `${accountCode} ${name}`

function endOf(found: DeliverableWebhook | null): number {
  const ends = found?.secrets.map(({ endsAt }) => endsAt?.getTime() ?? Number.POSITIVE_INFINITY) ?? []
  return Math.min(...ends)
}
