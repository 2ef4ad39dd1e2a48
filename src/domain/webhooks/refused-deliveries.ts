import type { RefusalReason } from './verify-delivery.ts'
import type { Webhook } from './webhook-store.ts'

const minuteMs = 60_000
const maxLines = 10
// Webhooks past this number in one minute share one count, so that the counts stay small.
const maxWebhooks = 10_000

/** Which webhook a line is about. */
interface Place {
  readonly account: string
  readonly webhook: string
  readonly webhookId: number
}

const otherWebhooks: Place = { account: '(others)', webhook: '(others)', webhookId: 0 }

export interface RefusalLines {
  /** Called for a refused delivery, at most ten times a minute for each webhook. */
  readonly onRefused: (refusal: Place & { readonly reason: RefusalReason }) => void
  /** Called once a minute for a webhook with more refusals than that. `minute` is its beginning, in ISO 8601. */
  readonly onLeftOut: (count: Place & { readonly leftOut: number; readonly minute: string }) => void
  /** Returns the time in milliseconds since 1970. */
  readonly readMs?: () => number
}

/** Reports refused deliveries of webhooks that exist (contract, section 9, "Secrets of senders"). */
export class RefusedDeliveries {
  readonly #lines: Required<RefusalLines>
  /** By webhook, and by `otherWebhooks` itself. */
  readonly #counts = new Map<string | Place, { readonly place: Place; refused: number }>()
  #minute = 0

  constructor(lines: RefusalLines) {
    this.#lines = { readMs: Date.now, ...lines }
  }

  add(account: string, { id: webhookId, name: webhook }: Webhook, reason: RefusalReason): void {
    this.report()
    const place = { account, webhook, webhookId }
    const count = this.#countOf(place)
    count.refused++
    if (count.refused <= maxLines) this.#lines.onRefused({ ...place, reason })
  }

  /** Reports what was left out in a minute that is over. Call it now and then: the next refusal may come late. */
  report(): void {
    const minute = Math.floor(this.#lines.readMs() / minuteMs)
    if (minute === this.#minute) return
    this.reportAll()
    this.#minute = minute
  }

  /** Reports what was left out, also in this minute. */
  reportAll(): void {
    const minute = new Date(this.#minute * minuteMs).toISOString()
    for (const { place, refused } of this.#counts.values()) {
      if (refused > maxLines) this.#lines.onLeftOut({ ...place, leftOut: refused - maxLines, minute })
    }
    this.#counts.clear()
  }

  #countOf(given: Place) {
    const id = `${given.webhookId} ${given.account}`
    const isFull = this.#counts.size >= maxWebhooks && !this.#counts.has(id)
    const [key, place] = isFull ? [otherWebhooks, otherWebhooks] : [id, given]
    const count = this.#counts.get(key) ?? { place, refused: 0 }
    this.#counts.set(key, count)
    return count
  }
}
