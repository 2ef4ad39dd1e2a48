import { parseId, parseOptionalId } from '../../domain/id.ts'
import { defaultOverlapHours, maxOverlapHours, maxWebhooks } from '../../domain/webhooks/webhooks.ts'
import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'
import { readGivenTrigger } from '../triggers/given-trigger.ts'
import { triggerInputFields, triggerText } from '../triggers/trigger-fields.ts'
import { Webhook, WebhookMode, WebhookVerification, WebhookWithSecret, webhookText } from './webhook.ts'

const SaveWebhookInput = builder.inputType('SaveWebhookInput', {
  description: `A webhook. ${triggerText.input}`,
  fields: t => ({
    id: t.id({ description: 'Id of the webhook to change. Without one a webhook is created.' }),
    name: t.string({ description: `${webhookText.name} ${triggerText.required}` }),
    ...triggerInputFields(t, 'that without a case type'),
    verification: t.field({
      type: WebhookVerification,
      description: `${webhookText.verification} ${triggerText.required}`,
    }),
    header: t.string({
      description: `${webhookText.header} If you change \`SECRET\`, leave it out.`,
    }),
    headers: t.stringList({ description: `${webhookText.headers} Default for a new one: none.` }),
    mode: t.field({
      type: WebhookMode,
      description: `${webhookText.mode} Default for a new one: \`QUEUED\`.`,
    }),
    secret: t.string({
      description:
        `The sender's own secret, which no answer shows.\n${webhookText.ownSecret}\n\n` +
        'A new webhook without one gets a secret that is shown once.\n' +
        `With an \`id\` it is a rotation: the earlier secrets stay valid for ${defaultOverlapHours} hours.`,
    }),
  }),
})

builder.queryField('webhooks', t =>
  t.field({
    description: 'The webhooks of the account, in ascending id.',
    type: [Webhook],
    scope: 'functions:read',
    extensions: cost({ kind: 'list', maxItems: maxWebhooks }),
    resolve: (_root, _args, { caller, services }) => services.webhooks.list(caller.accountCode),
  }),
)

builder.mutationFields(t => ({
  saveWebhook: t.field({
    description:
      'Creates or changes a webhook. A change keeps what is left out, and the secrets unless one is given.\n\n' +
      '`NOT_FOUND` for an unknown webhook or function, `FORBIDDEN` for a scope that your credential lacks.\n' +
      `\`CONFLICT\` for the name of another webhook, at ${maxWebhooks} webhooks, and without a key for secrets.`,
    type: WebhookWithSecret,
    nullable: true,
    scope: 'functions:write',
    args: { input: t.arg({ type: SaveWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: async (_root, { input: { secret, ...input } }, context) => {
      const { origin, caller, services } = context
      const id = parseOptionalId(input.id, 'webhook id')
      const given = { ...readGivenTrigger(input, caller), secret: secret ?? null }
      const saved = await services.webhooks.save(origin, id, given)
      if (saved.secret !== null) context.onSecret(saved.secret)
      return saved
    },
  }),
  rotateWebhookSecret: t.field({
    description:
      'Adds a secret to a webhook, and ends the earlier ones after some hours. A fourth secret ends the oldest\n' +
      'at once. `NOT_FOUND`, `CONFLICT` without a key for secrets.',
    type: WebhookWithSecret,
    nullable: true,
    scope: 'functions:write',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the webhook.' }),
      overlapHours: t.arg.int({
        required: true,
        defaultValue: defaultOverlapHours,
        description: `Hours for which the earlier secrets stay valid, at most ${maxOverlapHours}; 0 ends them at once.`,
      }),
      secret: t.arg.string({
        description: `The sender's own secret, which no answer shows. Default: a new one.\n${webhookText.ownSecret}`,
      }),
    },
    resolve: async (_root, { id, overlapHours, secret }, context) => {
      const { origin, services } = context
      const given = { overlapHours, secret: secret ?? null }
      const rotated = await services.webhooks.rotateSecret(origin, parseId(id, 'webhook id'), given)
      if (rotated.secret !== null) context.onSecret(rotated.secret)
      return rotated
    },
  }),
  removeWebhook: t.field({
    description:
      'Removes a webhook with its secrets and returns it as it was. Its queued runs stay. `NOT_FOUND`.',
    type: Webhook,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the webhook.' }) },
    resolve: (_root, { id }, { origin, services }) =>
      services.webhooks.remove(origin, parseId(id, 'webhook id')),
  }),
}))
