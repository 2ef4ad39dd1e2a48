import { sql } from 'drizzle-orm'
import type { Origin } from '../../../domain/port.ts'
import { noChosenFunction } from '../../../domain/triggers/complete-trigger.ts'
import { sameWebhookName, tooManyWebhooks } from '../../../domain/webhooks/webhook-rules.ts'
import type {
  SavedWebhook,
  Webhook,
  WebhookInput,
  WebhookSave,
  WebhookStore,
} from '../../../domain/webhooks/webhook-store.ts'
import { notFound, RostrumError } from '../../../errors.ts'
import type { Database } from '../../database.ts'
import { all, first, only, type Refusal, refuse, type Work } from '../../work.ts'
import type { FindTriggers, Parts } from '../parts.ts'
import { createLockChosenFunction } from '../triggers/lock-chosen-function.ts'
import { createQueueMessage } from './queue-message.ts'
import { createWebhookReads } from './webhook-reads.ts'
import { createWebhookSecrets } from './webhook-secrets.ts'
import { joinWords, prepareWebhookStatements, toWebhook } from './webhook-statements.ts'

export function createWebhookStore(
  database: Database,
  { takeNumbers, ...parts }: Pick<Parts, 'takeNumbers' | 'enqueue' | 'keys'>,
): Omit<WebhookStore, 'changeMark'> {
  const { change } = database
  const statements = prepareWebhookStatements(database)
  const secrets = createWebhookSecrets(database, takeNumbers)
  const lockChosenFunction = createLockChosenFunction(database)

  // Locks come in one order: the webhook, its function as by a removal of the function, and a counter of the account,
  // under which names and places are taken until the commit.
  function* save(
    { accountCode }: Origin,
    id: number | null,
    save: WebhookSave,
  ): Work<SavedWebhook | Refusal> {
    const found = id === null ? null : yield* first(statements.lock, { accountCode, id })
    if (found === undefined) return refuse(notFound('webhook', id))
    const completed = save.complete(found === null ? null : toWebhook(found))
    if (completed instanceof RostrumError) return refuse(completed)
    const { function: chosen, ...values } = completed
    const functionId = yield* lockChosenFunction(accountCode, chosen, null)
    if (functionId === null) return refuse(noChosenFunction(chosen, null))
    return yield* replace(accountCode, id, { ...values, functionId }, save)
  }

  function* replace(
    accountCode: string,
    id: number | null,
    given: WebhookInput,
    { rotation, rotates, maxWebhooks }: WebhookSave,
  ): Work<SavedWebhook | Refusal> {
    // Zero numbers only lock the counter.
    yield* takeNumbers(accountCode, 'webhook', 0)
    const { name } = given
    const other = yield* first(statements.findName, { accountCode, name })
    if (other !== undefined && other.id !== id) return refuse(sameWebhookName(name, other.id))
    if (id === null) {
      const { count } = yield* only(statements.count, { accountCode })
      if (count >= maxWebhooks) return refuse(tooManyWebhooks(maxWebhooks))
    }
    const newId = id ?? (yield* takeNumbers(accountCode, 'webhook'))
    const webhook = yield* write(accountCode, { id: newId, isNew: id === null }, given)
    const isKept = id !== null && !rotates
    const secretId = isKept ? null : yield* secrets.rotate(accountCode, webhook.id, rotation)
    return { webhook, secretId }
  }

  function* write(
    accountCode: string,
    { id, isNew }: { readonly id: number; readonly isNew: boolean },
    { headers, scopes, ...given }: WebhookInput,
  ): Work<Webhook> {
    const values = { ...given, headers: joinWords(headers), scopes: joinWords(scopes) }
    const statement = isNew ? statements.insert : statements.update
    return toWebhook(yield* only(statement, { accountCode, id, ...values }))
  }

  return {
    ...createWebhookReads(database),
    queueMessage: createQueueMessage(database, parts),
    save: (origin, id, given) => change(origin, () => save(origin, id, given)),
    rotate: (origin, id, rotation, check) =>
      change(origin, function* () {
        const { accountCode } = origin
        const row = yield* first(statements.lock, { accountCode, id })
        if (row === undefined) return refuse(notFound('webhook', id))
        const webhook = toWebhook(row)
        const error = check(webhook)
        if (error !== null) return refuse(error)
        const secretId = yield* secrets.rotate(accountCode, id, rotation)
        return { webhook, secretId }
      }),
    async remove(origin, id) {
      const { webhook } = await change(origin, function* () {
        const { accountCode } = origin
        const row = yield* first(statements.lock, { accountCode, id })
        if (row === undefined) return refuse(notFound('webhook', id))
        yield* secrets.deleteAll(accountCode, id)
        yield* all(statements.delete, { accountCode, id })
        return { webhook: toWebhook(row) }
      })
      return webhook
    },
  }
}

/** Finds the webhooks that keep a function from being removed. */
export function createFindWebhooks({ prepare, tables: { webhooks } }: Database): FindTriggers {
  const find = prepare(
    sql`
      select ${webhooks.name} from ${webhooks}
      where ${webhooks.accountCode} = ${sql.placeholder('accountCode')}
        and ${webhooks.functionId} = ${sql.placeholder('functionId')}
      order by ${webhooks.id} limit 11`,
    { name: webhooks.name },
  )
  return function* findWebhooks(accountCode, functionId) {
    return (yield* all(find, { accountCode, functionId })).map(({ name }) => `webhook \`${name}\``)
  }
}
