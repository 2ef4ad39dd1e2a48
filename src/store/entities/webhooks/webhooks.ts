import { sql } from 'drizzle-orm'
import type { Origin } from '../../../domain/store.ts'
import type {
  SaveWebhookResult,
  SealSecret,
  WebhookInput,
  WebhookStore,
} from '../../../domain/webhooks/webhook-store.ts'
import type { Database } from '../../database.ts'
import { all, first, only, type Work } from '../../work.ts'
import type { Parts } from '../entities.ts'
import type { FindTriggers } from '../functions/functions.ts'
import { createQueueMessage } from './queue-message.ts'
import { createWebhookReads } from './webhook-reads.ts'
import { createWebhookSecrets } from './webhook-secrets.ts'
import { joinWords, prepareWebhookStatements, toWebhook } from './webhook-statements.ts'

interface Creation {
  readonly seal: SealSecret
  readonly maxWebhooks: number
}

export function createWebhookStore(
  database: Database,
  { takeNumbers, ...parts }: Pick<Parts, 'takeNumbers' | 'enqueue' | 'keys'>,
): Omit<WebhookStore, 'changeMark'> {
  const { change } = database
  const statements = prepareWebhookStatements(database)
  const secrets = createWebhookSecrets(database, takeNumbers)

  // Names and places are taken under a counter of the account, which is locked until the commit. The function is locked
  // before it, as by a removal of the function.
  function* findObstacle(accountCode: string, { name, functionId }: WebhookInput, id: number | null) {
    const found = yield* first(statements.lockFunction, { accountCode, functionId })
    if (found === undefined) return { kind: 'missing', what: 'function' } as const
    const newId = yield* takeNumbers(accountCode, 'webhook', id === null ? 1 : 0)
    const other = yield* first(statements.findName, { accountCode, name })
    if (other !== undefined && other.id !== id) return { kind: 'duplicate', existingId: other.id } as const
    return { kind: 'none', newId } as const
  }

  function* create(
    { accountCode }: Origin,
    given: WebhookInput,
    creation: Creation,
  ): Work<SaveWebhookResult> {
    const obstacle = yield* findObstacle(accountCode, given, null)
    if (obstacle.kind !== 'none') return obstacle
    const { count } = yield* only(statements.count, { accountCode })
    if (count >= creation.maxWebhooks) return { kind: 'full' }
    const id = obstacle.newId
    const row = yield* only(statements.insert, { accountCode, id, ...toValues(given) })
    const secretId = yield* secrets.add({ accountCode, webhookId: id, seal: creation.seal })
    return { kind: 'saved', webhook: toWebhook(row), secretId }
  }

  function* update({ accountCode }: Origin, given: WebhookInput, id: number): Work<SaveWebhookResult> {
    const existing = yield* first(statements.lock, { accountCode, id })
    if (existing === undefined) return { kind: 'missing', what: 'webhook' }
    const obstacle = yield* findObstacle(accountCode, given, id)
    if (obstacle.kind !== 'none') return obstacle
    const row = yield* only(statements.update, { accountCode, id, ...toValues(given) })
    return { kind: 'saved', webhook: toWebhook(row), secretId: null }
  }

  return {
    ...createWebhookReads(database),
    queueMessage: createQueueMessage(database, parts),
    save: (origin, id, given, creation) =>
      change(origin, () => (id === null ? create(origin, given, creation) : update(origin, given, id)), {
        hasChanged: ({ kind }) => kind === 'saved',
      }),
    rotate: (origin, id, { overlapMs, seal }, maxSecrets) =>
      change(
        origin,
        function* () {
          const { accountCode } = origin
          const row = yield* first(statements.lock, { accountCode, id })
          if (row === undefined) return { kind: 'missing' } as const
          yield* secrets.end(accountCode, id, overlapMs)
          const secretId = yield* secrets.add({ accountCode, webhookId: id, seal })
          yield* secrets.deleteOldest(accountCode, id, maxSecrets)
          return { kind: 'rotated', webhook: toWebhook(row), secretId } as const
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

function toValues({ headers, scopes, ...given }: WebhookInput) {
  return { ...given, headers: joinWords(headers), scopes: joinWords(scopes) }
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
