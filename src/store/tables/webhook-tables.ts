import type { WebhookMode, WebhookVerification } from '../../domain/webhooks/webhook-store.ts'
import {
  accountCode,
  boolean,
  byId,
  bytes,
  createdAt,
  functionReference,
  id,
  integer,
  nullable,
  type TableDescription,
  text,
  time,
  words,
} from './describe-table.ts'

/** The tables of webhooks, which are part of all tables of a store. */
export const webhookTables = {
  webhooks: {
    columns: {
      accountCode,
      id,
      name: text(),
      functionId: integer,
      verification: text<WebhookVerification>(),
      header: nullable(text()),
      headers: words,
      mode: text<WebhookMode>(),
      scopes: words,
      enabled: boolean,
      createdAt,
    },
    key: byId,
    uniqueIndexes: { webhooks_by_name: ['accountCode', 'name'] },
    indexes: { webhooks_by_function: ['accountCode', 'functionId', 'id'] },
    references: [functionReference],
  },

  /** Sealed with the key that `keyId` names. A secret is live until `endsAt`. */
  webhookSecrets: {
    columns: {
      accountCode,
      id,
      webhookId: integer,
      keyId: text(),
      sealed: bytes,
      endsAt: nullable(time),
      createdAt,
    },
    key: byId,
    indexes: { webhook_secrets_by_webhook: ['accountCode', 'webhookId', 'id'] },
    references: [{ columns: ['accountCode', 'webhookId'], table: 'webhooks' }],
  },
} as const satisfies Readonly<Record<string, TableDescription>>
