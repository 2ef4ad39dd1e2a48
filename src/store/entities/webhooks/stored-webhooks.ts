import { maxListed } from '../../../domain/triggers/triggers.ts'
import { sameWebhookName, tooManyWebhooks } from '../../../domain/webhooks/webhook-rules.ts'
import type { Webhook, WebhookSave, WebhookStore } from '../../../domain/webhooks/webhook-store.ts'
import type { Database } from '../../database.ts'
import { Refusal, refuse, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { createTriggerStore } from '../triggers/stored-triggers.ts'
import type { TriggerKind } from '../triggers/trigger-kind.ts'
import { createQueueMessage } from './queue-message.ts'
import { createWebhookReads } from './webhook-reads.ts'
import { createWebhookSecrets } from './webhook-secrets.ts'

export const webhookKind: TriggerKind<Webhook> = {
  trigger: 'webhook',
  within: [],
  order: ['id'],
  tooMany: (_webhook, max) => tooManyWebhooks(max),
  sameName: ({ name }, existingId) => sameWebhookName(name, existingId),
  describe: ({ name }) => `webhook \`${name}\``,
}

/** A webhook has secrets, which are written and deleted with it. */
export function createWebhookStore(
  database: Database,
  parts: Pick<Parts, 'provision' | 'takeNumbers' | 'enqueue' | 'keys'>,
): Omit<WebhookStore, 'changeMark'> {
  const { change } = database
  const secrets = createWebhookSecrets(database, parts.takeNumbers)
  const { work, list, ...triggers } = createTriggerStore(database, parts, webhookKind, {
    beforeRemove: secrets.deleteAll,
  })

  // Refuses a change of a webhook that its secrets do not fit.
  function* refuseUnfit(
    accountCode: string,
    id: number,
    checkKept: WebhookSave['checkKept'],
  ): Work<Refusal | null> {
    const before = yield* work.lock(accountCode, id)
    if (before instanceof Refusal) return before
    const error = checkKept(before, yield* secrets.list(accountCode, id))
    return error === null ? null : refuse(error)
  }

  return {
    ...triggers,
    ...createWebhookReads(database),
    queueMessage: createQueueMessage(database, parts),
    list: accountCode => list(accountCode, { caseTypeCode: null, functionId: null }, maxListed),
    save: (origin, id, { complete, rotation, rotates, checkKept, maxWebhooks }) =>
      change(origin, function* () {
        const { accountCode } = origin
        const keepsSecrets = id !== null && !rotates
        const refusal = keepsSecrets ? yield* refuseUnfit(accountCode, id, checkKept) : null
        if (refusal !== null) return refusal
        const webhook = yield* work.save(accountCode, id, complete, maxWebhooks)
        if (webhook instanceof Refusal) return webhook
        const secretId = keepsSecrets ? null : yield* secrets.rotate(accountCode, webhook.id, rotation)
        return { webhook, secretId }
      }),
    rotate: (origin, id, rotation, check) =>
      change(origin, function* () {
        const { accountCode } = origin
        const webhook = yield* work.lock(accountCode, id)
        if (webhook instanceof Refusal) return webhook
        const error = check(webhook)
        if (error !== null) return refuse(error)
        const secretId = yield* secrets.rotate(accountCode, id, rotation)
        return { webhook, secretId }
      }),
    async remove(origin, id) {
      const { webhook } = await change(origin, function* () {
        const webhook = yield* work.remove(origin.accountCode, id)
        return webhook instanceof Refusal ? webhook : { webhook }
      })
      return webhook
    },
  }
}
