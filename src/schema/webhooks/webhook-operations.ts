import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { ofTrigger } from '../hooks/trigger-fields.ts'
import { readScopes, refuseScopes } from '../hooks/trigger-scopes.ts'
import { Webhook } from '../refs.ts'
import { cost } from '../relay/field-cost.ts'
import { ofWebhook, WebhookMode, WebhookVerification, WebhookWithSecret } from './webhook.ts'

const SaveWebhookInput = builder.inputType('SaveWebhookInput', {
  description: 'A webhook. What is left out has its default, also when a webhook is changed.',
  fields: t => ({
    id: t.id({ description: 'Id of the webhook to change. Without one a webhook is created.' }),
    name: t.string({ required: true, description: ofWebhook.name }),
    functionId: t.id({ required: true, description: ofTrigger.functionId }),
    verification: t.field({
      type: WebhookVerification,
      required: true,
      description: 'How a delivery shows that it comes from the sender.',
    }),
    header: t.string({ description: ofWebhook.header }),
    headers: t.stringList({ description: ofWebhook.headers }),
    mode: t.field({
      type: WebhookMode,
      required: true,
      defaultValue: 'queued',
      description: 'What the answer to a delivery waits for.',
    }),
    scopes: t.stringList({ required: true, defaultValue: [], description: ofTrigger.givenScopes }),
    enabled: t.boolean({ required: true, defaultValue: true, description: ofTrigger.enabled }),
  }),
})

builder.queryField('webhooks', t =>
  t.field({
    description: 'The webhooks of the account, in ascending id.',
    type: [Webhook],
    scope: 'functions:read',
    extensions: cost({ kind: 'list', maxItems: 100 }),
    resolve: (_root, _args, { caller, webhooks }) => webhooks.list(caller.accountCode),
  }),
)

builder.mutationFields(t => ({
  saveWebhook: t.field({
    description:
      'Creates or changes a webhook. Only a new one gets a secret.\n\n' +
      '`NOT_FOUND` for an unknown webhook or function, `FORBIDDEN` for a scope that your credential lacks.\n' +
      '`CONFLICT` for the name of another webhook, at 100 webhooks, and without a key for secrets.',
    type: WebhookWithSecret,
    nullable: true,
    scope: 'functions:write',
    args: { input: t.arg({ type: SaveWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: async (_root, { input: { id, functionId, scopes, header, headers, ...given } }, context) => {
      const { caller, webhooks, loaders } = context
      const webhook = {
        ...given,
        functionId: parseId(functionId, 'function id'),
        header: header ?? null,
        headers: headers ?? [],
        scopes: readScopes(scopes),
      }
      const refusal = refuseScopes(caller, webhook.scopes)
      if (refusal !== null) throw refusal
      const saved = await webhooks.save(
        context.origin,
        id == null ? null : parseId(id, 'webhook id'),
        webhook,
      )
      loaders.clear()
      if (saved.secret !== null) context.onSecret(saved.secret)
      return saved
    },
  }),
  rotateWebhookSecret: t.field({
    description:
      'Adds a secret to a webhook, and ends the earlier ones after some hours. A fourth secret ends the oldest\n' +
      'at once. `NOT_FOUND`.',
    type: WebhookWithSecret,
    nullable: true,
    scope: 'functions:write',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the webhook.' }),
      overlapHours: t.arg.int({
        required: true,
        defaultValue: 24,
        description: 'Hours for which the earlier secrets stay valid, at most 720; 0 ends them at once.',
      }),
    },
    resolve: async (_root, { id, overlapHours }, context) => {
      const { origin, webhooks } = context
      const rotated = await webhooks.rotateSecret(origin, parseId(id, 'webhook id'), overlapHours)
      if (rotated.secret !== null) context.onSecret(rotated.secret)
      return rotated
    },
  }),
  removeWebhook: t.field({
    description: 'Removes a webhook with its secrets and returns it as it was. `NOT_FOUND`.',
    type: Webhook,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    resolve: async (_root, { id }, { origin, webhooks, loaders }) => {
      const removed = await webhooks.remove(origin, parseId(id, 'webhook id'))
      loaders.clear()
      return removed
    },
  }),
}))
