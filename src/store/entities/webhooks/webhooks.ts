import { sql } from 'drizzle-orm'
import type { Origin } from '../../../domain/port.ts'
import type {
  SaveWebhookResult,
  Webhook,
  WebhookInput,
  WebhookSave,
  WebhookStore,
} from '../../../domain/webhooks/webhook-store.ts'
import { RostrumError } from '../../../errors.ts'
import type { Database } from '../../database.ts'
import { all, first, only, type Work } from '../../work.ts'
import { createLockChosenFunction } from '../hooks/lock-chosen-function.ts'
import type { FindTriggers, Parts } from '../parts.ts'
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
  function* save({ accountCode }: Origin, id: number | null, save: WebhookSave): Work<SaveWebhookResult> {
    const found = id === null ? null : yield* first(statements.lock, { accountCode, id })
    if (found === undefined) return { kind: 'missing', what: 'webhook' }
    const completed = save.complete(found === null ? null : toWebhook(found))
    if (completed instanceof RostrumError) return { kind: 'refused', error: completed }
    const { function: chosen, ...values } = completed
    const functionId = yield* lockChosenFunction(accountCode, chosen, null)
    if (functionId === null) return { kind: 'missing', what: 'function', chosen }
    return yield* replace(accountCode, id, { ...values, functionId }, save)
  }

  function* replace(
    accountCode: string,
    id: number | null,
    given: WebhookInput,
    { rotation, rotates, maxWebhooks }: WebhookSave,
  ): Work<SaveWebhookResult> {
    const { name } = given
    const newId = yield* takeNumbers(accountCode, 'webhook', id === null ? 1 : 0)
    const other = yield* first(statements.findName, { accountCode, name })
    if (other !== undefined && other.id !== id) return { kind: 'duplicate', existingId: other.id, name }
    if (id === null) {
      const { count } = yield* only(statements.count, { accountCode })
      if (count >= maxWebhooks) return { kind: 'full' }
    }
    const webhook = yield* write(accountCode, { id: id ?? newId, isNew: id === null }, given)
    const isKept = id !== null && !rotates
    const secretId = isKept ? null : yield* secrets.rotate(accountCode, webhook.id, rotation)
    return { kind: 'saved', webhook, secretId }
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
    save: (origin, id, given) =>
      change(origin, () => save(origin, id, given), { hasChanged: ({ kind }) => kind === 'saved' }),
    rotate: (origin, id, rotation, refuse) =>
      change(
        origin,
        function* () {
          const { accountCode } = origin
          const row = yield* first(statements.lock, { accountCode, id })
          if (row === undefined) return { kind: 'missing' } as const
          const webhook = toWebhook(row)
          const error = refuse(webhook)
          if (error !== null) return { kind: 'refused', error } as const
          const secretId = yield* secrets.rotate(accountCode, id, rotation)
          return { kind: 'rotated', webhook, secretId } as const
        },
        { hasChanged: ({ kind }) => kind === 'rotated' },
      ),
    remove: (origin, id) =>
      change(
        origin,
        function* () {
          const { accountCode } = origin
          const row = yield* first(statements.lock, { accountCode, id })
          if (row === undefined) return { kind: 'missing' } as const
          yield* secrets.deleteAll(accountCode, id)
          yield* all(statements.delete, { accountCode, id })
          return { kind: 'removed', webhook: toWebhook(row) } as const
        },
        { hasChanged: ({ kind }) => kind === 'removed' },
      ),
  }
}

/** For the removal of a function. */
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
