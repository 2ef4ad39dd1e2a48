import type {
  WebhookMode as Mode,
  WebhookVerification as Verification,
  Webhook as WebhookRow,
} from '../../domain/webhooks/webhook-store.ts'
import type { WebhookWithSecret as WithSecret } from '../../domain/webhooks/webhooks.ts'
import { builder } from '../builder.ts'
import { triggerOfQueuedRun } from '../queue/queued-run.ts'
import { QueuedRun } from '../refs.ts'
import { costOfText } from '../relay/field-cost.ts'
import { triggerFields } from '../triggers/trigger-fields.ts'

export const webhookText = {
  name: 'Name, the end of its path: `/api/1/webhook/{account_nickname}/{name}`.',
  verification: 'How a delivery shows that it comes from the sender.',
  mode: 'What the answer to a delivery waits for.',
  header: 'Header that holds the secret, for `SECRET`.',
  headers: 'Headers of a delivery that the function sees in `options.params.headers`.',
  ownSecret: '`STANDARD`: `whsec_` and 24 to 64 bytes of base64; else 16 to 512 characters.',
} as const

export const WebhookVerification = builder.enumType('WebhookVerification', {
  description: webhookText.verification,
  values: {
    STANDARD: {
      value: 'standard',
      description: 'Standard Webhooks: `webhook-id`, `-timestamp`, `-signature`, or the same with `svix-`.',
    },
    GITHUB: { value: 'github', description: 'GitHub: `X-Hub-Signature-256` and `X-GitHub-Delivery`.' },
    SECRET: { value: 'secret', description: 'The secret itself, in a header.' },
  } as const satisfies Record<string, { value: Verification; description: string }>,
})

export const WebhookMode = builder.enumType('WebhookMode', {
  description: webhookText.mode,
  values: {
    QUEUED: { value: 'queued', description: 'The commit of a queued run: 202.' },
    SYNC: { value: 'sync', description: 'The end of the run: 200 with its result, or 422.' },
  } as const satisfies Record<string, { value: Mode; description: string }>,
})

export const Webhook = builder.objectRef<WebhookRow>('Webhook').implement({
  description: 'Runs a function when another service sends a signed request.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the webhook.' }),
    name: t.exposeString('name', { description: webhookText.name, extensions: costOfText }),
    ...triggerFields(t),
    verification: t.expose('verification', {
      type: WebhookVerification,
      description: webhookText.verification,
    }),
    header: t.exposeString('header', {
      nullable: true,
      description: webhookText.header,
      extensions: costOfText,
    }),
    headers: t.exposeStringList('headers', { description: webhookText.headers, extensions: costOfText }),
    mode: t.expose('mode', {
      type: WebhookMode,
      description: webhookText.mode,
    }),
  }),
})

builder.objectField(QueuedRun, 'webhook', t => t.field({ type: Webhook, ...triggerOfQueuedRun('webhook') }))

export const WebhookWithSecret = builder.objectRef<WithSecret>('WebhookWithSecret').implement({
  description: 'A webhook, and its new secret if it got one.',
  fields: t => ({
    webhook: t.expose('webhook', { type: Webhook, description: 'The webhook.' }),
    secret: t.exposeString('secret', {
      nullable: true,
      description:
        'The new secret, shown this once; null if the webhook keeps its secrets or got one of yours, or if another\n' +
        'change has replaced the new one already.',
      extensions: costOfText,
    }),
  }),
})
