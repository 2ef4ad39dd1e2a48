import { sql } from 'drizzle-orm'
import type { WebhookStore } from '../../../domain/webhooks/webhook-store.ts'
import { select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { orNull } from '../../tables/tables-of.ts'

type Reads = Pick<WebhookStore, 'findByName' | 'findSecret' | 'findKeyIds'>

export function createWebhookReads(database: Database): Reads {
  const { read } = database
  const statements = prepareReads(database)
  return {
    async findByName(accountCode, name) {
      const rows = await read(statements.findByName, { accountCode, name })
      const [first] = rows
      if (first === undefined) return null
      const { secretId, keyId, sealed, endsAt, ...webhook } = first
      // The secrets come from a left join, so there may be none.
      const secrets = rows.flatMap(({ secretId, keyId, sealed, endsAt }) =>
        secretId === null ? [] : { id: secretId, keyId, sealed, endsAt },
      )
      return { webhook, secrets }
    },
    async findSecret(accountCode, webhookId, secretId) {
      const [found] = await read(statements.findSecret, { accountCode, webhookId, secretId })
      return found ?? null
    },
    findKeyIds: async () => (await read(statements.findKeyIds, {})).map(({ keyId }) => keyId),
  }
}

const given = placeholders('accountCode', 'name', 'webhookId', 'secretId')

function prepareReads(dialect: Dialect) {
  const { prepare, prepareMany, now, tables } = dialect
  const { webhooks, webhookSecrets: secrets } = tables
  const { id, keyId, sealed, endsAt } = secrets
  const secret = { id, keyId, sealed, endsAt }
  const joined = {
    ...select(webhooks, { omit: ['accountCode', 'createdAt'] }),
    secretId: orNull(id),
    keyId,
    sealed,
    endsAt,
  }
  const isLive = sql`(${secrets.endsAt} is null or ${secrets.endsAt} > ${now})`
  return {
    /** The newest secret comes first, because it is used most. */
    findByName: prepare(
      sql`
        select ${columnsOf(joined)} from ${webhooks} left join ${secrets}
          on ${secrets.accountCode} = ${webhooks.accountCode} and ${secrets.webhookId} = ${webhooks.id}
            and ${isLive}
        where ${webhooks.accountCode} = ${given.accountCode} and ${webhooks.name} = ${given.name}
        order by ${secrets.id} desc`,
      joined,
    ),
    findSecret: prepare(
      sql`
        select ${columnsOf(secret)} from ${secrets}
        where ${secrets.accountCode} = ${given.accountCode} and ${secrets.webhookId} = ${given.webhookId}
          and ${secrets.id} = ${given.secretId} and ${isLive}`,
      secret,
    ),
    findKeyIds: prepareMany(sql`select distinct ${keyId} from ${secrets} where ${isLive}`, { keyId }),
  }
}
