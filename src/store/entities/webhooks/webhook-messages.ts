import { type SQL, sql } from 'drizzle-orm'
import type {
  ClaimMessageResult,
  MessageClaim,
  QueueMessage,
  QueueMessageResult,
  WebhookMessageStore,
} from '../../../domain/webhooks/message-store.ts'
import type { Database } from '../../database.ts'
import { type Dialect, placeholders, type Values } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, first, type Work } from '../../work.ts'
import type { Parts } from '../entities.ts'

/** All times are the database's, since the clocks of the gateways may differ. */
export function createWebhookMessageStore(
  database: Database,
  { enqueue }: Pick<Parts, 'enqueue'>,
): WebhookMessageStore {
  const { change, writeEach, isShared } = database
  const statements = prepareMessageStatements(database)

  function* claim(given: MessageClaim, holdMs: number, retentionMs: number): Work<ClaimMessageResult> {
    const values = { ...given, holdMs, ageMs: -retentionMs }
    for (;;) {
      if ((yield* first(statements.insert, values)) !== undefined) return { kind: 'claimed' }
      const result = yield* claimAgain(values)
      if (result !== null) return result
    }
  }

  /** Null if the message has changed since we looked. */
  function* claimAgain(values: Values): Work<ClaimMessageResult | null> {
    const found = yield* first(statements.find, values)
    if (found === undefined) return null
    if (found.isExpired === 0 && found.answer !== null) return { kind: 'accepted', answer: found.answer }
    if (found.isHeld === 1) return { kind: 'held' }
    return (yield* first(statements.takeOver, values)) === undefined ? null : { kind: 'claimed' }
  }

  function* queue(
    { origin, message, run, writeAnswer }: QueueMessage,
    retentionMs: number,
  ): Work<QueueMessageResult> {
    // Nobody sees the claim: the same transaction accepts it.
    const claimed = message && (yield* claim(message, 0, retentionMs))
    if (claimed !== null && claimed.kind !== 'claimed') return claimed
    const [id = 0] = yield* enqueue(origin.accountCode, [run])
    const answer = writeAnswer(id)
    if (message !== null) yield* all(statements.accept, { ...message, answer })
    return { kind: 'queued', answer }
  }

  return {
    claim: (given, holdMs, retentionMs) =>
      writeEach(given.accountCode, () => claim(given, holdMs, retentionMs), {
        hasChanged: ({ kind }) => kind === 'claimed',
      }),
    async renew(given, holdMs) {
      if (isShared) await writeEach(given.accountCode, () => all(statements.renew, { ...given, holdMs }))
    },
    async accept(given, answer) {
      const work = () => first(statements.accept, { ...given, answer })
      return (await writeEach(given.accountCode, work)) !== undefined
    },
    queue: (given, retentionMs) =>
      change(given.origin, () => queue(given, retentionMs), {
        hasChanged: ({ kind }) => kind === 'queued',
        hasQueued: ({ kind }) => kind === 'queued',
      }),
    async release(given) {
      await writeEach(given.accountCode, () => all(statements.release, { ...given }))
    },
    async forgetOlderThan(ageMs, limit) {
      const work = () => all(statements.forget, { ageMs: -ageMs, limit })
      return (await writeEach(null, work, { hasChanged: rows => rows.length > 0 })).length
    },
  }
}

const { accountCode, webhookId, digest } = placeholders('accountCode', 'webhookId', 'digest')
const { holder, holdMs, ageMs, answer, limit } = placeholders('holder', 'holdMs', 'ageMs', 'answer', 'limit')
const one = { one: numberOf(sql`1`) }

function prepareMessageStatements({ prepare, isShared, now, nowPlus, skipLocked, tables }: Dialect) {
  const { webhookMessages: messages } = tables
  const isTheMessage = sql`account_code = ${accountCode} and webhook_id = ${webhookId} and digest = ${digest}`
  const isTheClaim = sql`${isTheMessage} and holder = ${holder} and answer is null`
  const isExpired = sql`(answer is not null and created_at <= ${nowPlus(ageMs)})`
  // Without other gateways, nobody runs a message that is claimed again.
  const isHeld = isShared ? sql`(answer is null and held_until > ${now})` : sql`false`
  const flag = (condition: SQL) => sql`case when ${condition} then 1 else 0 end`
  return {
    insert: prepare(
      sql`
        insert into webhook_messages (account_code, webhook_id, digest, holder, held_until)
        values (${accountCode}, ${webhookId}, ${digest}, ${holder}, ${nowPlus(holdMs)})
        on conflict do nothing returning 1`,
      one,
    ),
    find: prepare(
      sql`select answer, ${flag(isExpired)}, ${flag(isHeld)} from webhook_messages where ${isTheMessage}`,
      { answer: messages.answer, isExpired: one.one, isHeld: one.one },
    ),
    takeOver: prepare(
      sql`
        update webhook_messages set holder = ${holder}, held_until = ${nowPlus(holdMs)}, answer = null,
          created_at = ${now}
        where ${isTheMessage} and (answer is null or ${isExpired}) and not ${isHeld} returning 1`,
      one,
    ),
    renew: prepare(sql`update webhook_messages set held_until = ${nowPlus(holdMs)} where ${isTheClaim}`),
    accept: prepare(
      sql`update webhook_messages set answer = ${answer}, created_at = ${now} where ${isTheClaim} returning 1`,
      one,
    ),
    release: prepare(sql`delete from webhook_messages where ${isTheClaim}`),
    forget: prepare(
      sql`
        delete from webhook_messages where (account_code, webhook_id, digest) in (
          select account_code, webhook_id, digest from webhook_messages
          where created_at < ${nowPlus(ageMs)} order by created_at limit ${limit} ${skipLocked}
        ) returning 1`,
      one,
    ),
  }
}
