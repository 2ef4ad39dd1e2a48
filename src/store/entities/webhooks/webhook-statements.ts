import { sql } from 'drizzle-orm'
import type { Webhook } from '../../../domain/webhooks/webhook-store.ts'
import { columnsOf, type Dialect, insertValues, placeholders } from '../../dialect.ts'
import { numberOf, type RowOf, type Selection } from '../../tables/tables-of.ts'

const given = placeholders('accountCode', 'id', 'name', 'functionId')

/** The columns of a webhook. Use `toWebhook` on the rows. */
export function selectWebhook({ tables: { webhooks } }: Dialect) {
  const { id, name, functionId, verification, header, headers, mode, scopes, enabled } = webhooks
  return { id, name, functionId, verification, header, headers, mode, scopes, enabled } satisfies Selection
}

export function toWebhook({ headers, scopes, ...row }: RowOf<ReturnType<typeof selectWebhook>>): Webhook {
  return { ...row, headers: splitWords(headers), scopes: splitWords(scopes) }
}

/** Lists are stored as one text, separated by spaces. */
export function joinWords(words: readonly string[]): string {
  return words.join(' ')
}

function splitWords(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

const changing = [
  'name',
  'functionId',
  'verification',
  'header',
  'headers',
  'mode',
  'scopes',
  'enabled',
] as const

export function prepareWebhookStatements(dialect: Dialect) {
  const { prepare, forUpdate, tables } = dialect
  const { webhooks } = tables
  const selection = selectWebhook(dialect)
  const isOfAccount = sql`${webhooks.accountCode} = ${given.accountCode}`
  const isTheWebhook = sql`account_code = ${given.accountCode} and id = ${given.id}`
  const select = sql`select ${columnsOf(selection)} from ${webhooks} where ${isOfAccount}`
  // SQLite allows no table name in `returning`.
  const returned = sql.raw('id, name, function_id, verification, header, headers, mode, scopes, enabled')
  const { verification, header, headers, mode, scopes, enabled } = placeholders(...changing)
  return {
    lock: prepare(sql`${select} and ${webhooks.id} = ${given.id} ${forUpdate}`, selection),
    findName: prepare(
      sql`select ${webhooks.id} from ${webhooks} where ${isOfAccount} and ${webhooks.name} = ${given.name}`,
      { id: webhooks.id },
    ),
    count: prepare(sql`select count(*) as count from ${webhooks} where ${isOfAccount}`, {
      count: numberOf(sql`count(*)`),
    }),
    insert: prepare(
      sql`insert into webhooks ${insertValues('accountCode', 'id', ...changing)} returning ${returned}`,
      selection,
    ),
    update: prepare(
      sql`
        update webhooks set name = ${given.name}, function_id = ${given.functionId}, verification = ${verification},
          header = ${header}, headers = ${headers}, mode = ${mode}, scopes = ${scopes}, enabled = ${enabled}
        where ${isTheWebhook} returning ${returned}`,
      selection,
    ),
    delete: prepare(sql`delete from webhooks where ${isTheWebhook}`),
  }
}
