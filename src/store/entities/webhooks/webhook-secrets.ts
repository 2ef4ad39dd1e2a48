import { sql } from 'drizzle-orm'
import type { Rotation, StoredSecret } from '../../../domain/webhooks/webhook-store.ts'
import { insertInto, select } from '../../columns.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { all, type Work } from '../../work.ts'
import type { TakeNumbers } from '../counters.ts'

/** Changes the secrets of a webhook, inside a transaction that locks the webhook. */
export function createWebhookSecrets(dialect: Dialect, takeNumbers: TakeNumbers) {
  const statements = prepareSecretStatements(dialect)

  // Ends the secrets after `overlapMs`, unless they end earlier. Deletes secrets that have ended.
  function* end(accountCode: string, webhookId: number, overlapMs: number) {
    if (overlapMs === 0) return yield* all(statements.deleteAll, { accountCode, webhookId })
    yield* all(statements.end, { accountCode, webhookId, overlapMs })
    return yield* all(statements.deleteEnded, { accountCode, webhookId })
  }

  return {
    /** Adds a secret and returns its id. Past `maxSecrets` the oldest ones are deleted. */
    *rotate(accountCode: string, webhookId: number, { overlapMs, seal, maxSecrets }: Rotation): Work<number> {
      yield* end(accountCode, webhookId, overlapMs)
      const id = yield* takeNumbers(accountCode, 'webhook secret')
      yield* all(statements.insert, { accountCode, id, webhookId, ...seal(webhookId, id) })
      yield* all(statements.deleteOldest, { accountCode, webhookId, maxSecrets })
      return id
    },

    /** Returns the live secrets. */
    list: (accountCode: string, webhookId: number): Work<readonly StoredSecret[]> =>
      all(statements.list, { accountCode, webhookId }),

    deleteAll: (accountCode: string, webhookId: number) =>
      all(statements.deleteAll, { accountCode, webhookId }),
  }
}

const { accountCode, webhookId, overlapMs } = placeholders('accountCode', 'webhookId', 'overlapMs')

function prepareSecretStatements({ prepare, now, nowPlus, tables }: Dialect) {
  const isOfWebhook = sql`account_code = ${accountCode} and webhook_id = ${webhookId}`
  const secret = select(tables.webhookSecrets, { omit: ['accountCode', 'webhookId', 'createdAt'] })
  return {
    list: prepare(
      sql`
        select ${columnsOf(secret)} from webhook_secrets
        where ${isOfWebhook} and (ends_at is null or ends_at > ${now})`,
      secret,
    ),
    insert: prepare(insertInto(tables.webhookSecrets, { omit: ['endsAt', 'createdAt'] })),
    end: prepare(sql`
      update webhook_secrets set ends_at = ${nowPlus(overlapMs)}
      where ${isOfWebhook} and (ends_at is null or ends_at > ${nowPlus(overlapMs)})`),
    deleteEnded: prepare(sql`delete from webhook_secrets where ${isOfWebhook} and ends_at <= ${now}`),
    deleteAll: prepare(sql`delete from webhook_secrets where ${isOfWebhook}`),
    deleteOldest: prepare(sql`
      delete from webhook_secrets where ${isOfWebhook} and id not in (
        select newest.id from webhook_secrets as newest
        where newest.account_code = ${accountCode} and newest.webhook_id = ${webhookId}
        order by newest.id desc limit ${sql.placeholder('maxSecrets')}
      )`),
  }
}
