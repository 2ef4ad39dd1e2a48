import { randomBytes } from 'node:crypto'
import { RostrumError } from '../../errors.ts'
import { checkId } from '../id.ts'
import type { Origin } from '../store.ts'
import type { Keyring } from './keyring.ts'
import { maxSecrets, secretPrefix } from './verify-delivery.ts'
import { checkWebhook } from './webhook-rules.ts'
import type { SealSecret, Webhook, WebhookInput, WebhookStore } from './webhook-store.ts'

const maxWebhooks = 100
const maxOverlapHours = 30 * 24
const hourMs = 3_600_000
const secretBytes = 32

export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** A new secret, to be shown once; null if the webhook keeps its secrets. */
  readonly secret: string | null
}

/** The rules of webhooks (contract, section 8). */
export interface Webhooks {
  /**
   * Creates a webhook (null) or changes the one with this id. `BAD_USER_INPUT`; `NOT_FOUND` for an unknown webhook or
   * function; `CONFLICT` for a name that another webhook has, at 100 webhooks, and without the key for secrets.
   */
  save(origin: Origin, id: number | null, input: WebhookInput): Promise<WebhookWithSecret>
  /** Adds a secret; those before it end after some hours. `NOT_FOUND`, `BAD_USER_INPUT`, `CONFLICT` without the key. */
  rotateSecret(origin: Origin, id: number, overlapHours: number): Promise<WebhookWithSecret>
  /** Gives the webhook as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<Webhook>
  list(accountCode: string): Promise<Webhook[]>
}

interface Dependencies {
  readonly store: WebhookStore
  readonly keyring: Keyring
  /** Called after a change of a webhook or its secrets. */
  readonly onChange: () => void
}

export function createWebhooks({ store, keyring, onChange }: Dependencies): Webhooks {
  async function createSecret(accountCode: string): Promise<SealSecret> {
    const keys = await keyring.forNewSecret()
    const secret = secretPrefix + randomBytes(secretBytes).toString('base64')
    return (webhookId, secretId) => keys.seal(secret, { accountCode, webhookId, secretId })
  }

  // Read from the store, since a change that is repeated under an idempotency key keeps its first secret.
  async function readSecret(
    accountCode: string,
    webhookId: number,
    secretId: number,
  ): Promise<string | null> {
    const stored = await store.findSecret(accountCode, webhookId, secretId)
    const keys = keyring.forStoredSecrets()
    return stored === null || keys === null ? null : keys.open(stored, { accountCode, webhookId, secretId })
  }

  return {
    async save(origin, id, input) {
      if (id !== null) checkId(id, 'webhook id')
      checkId(input.functionId, 'function id')
      const checked = checkWebhook(input)
      const { accountCode } = origin
      const seal = await createSecret(accountCode)
      const result = await store.save(origin, id, checked, { seal, maxWebhooks })
      switch (result.kind) {
        case 'saved': {
          const { webhook, secretId } = result
          onChange()
          const secret = secretId === null ? null : await readSecret(accountCode, webhook.id, secretId)
          return { webhook, secret }
        }
        case 'missing':
          throw result.what === 'webhook' ? noWebhook(id) : notFound('function', input.functionId)
        case 'duplicate':
          throw new RostrumError(
            'CONFLICT',
            `Webhook \`${result.existingId}\` has the name \`${checked.name}\`. Choose another one.`,
            { reason: 'NAME_TAKEN' },
          )
        case 'full':
          throw new RostrumError(
            'CONFLICT',
            `The account has \`${maxWebhooks}\` webhooks, the maximum. Remove one that is not needed.`,
            { reason: 'LIMIT' },
          )
        default:
          return result satisfies never
      }
    },

    async rotateSecret(origin, id, overlapHours) {
      checkId(id, 'webhook id')
      if (overlapHours < 0 || overlapHours > maxOverlapHours) {
        throw new RostrumError('BAD_USER_INPUT', `\`overlapHours\` must be from 0 to ${maxOverlapHours}.`)
      }
      const { accountCode } = origin
      const seal = await createSecret(accountCode)
      const rotation = { overlapMs: overlapHours * hourMs, seal }
      const result = await store.rotate(origin, id, rotation, maxSecrets)
      if (result.kind === 'missing') throw noWebhook(id)
      onChange()
      const { webhook, secretId } = result
      return { webhook, secret: await readSecret(accountCode, id, secretId) }
    },

    async remove(origin, id) {
      checkId(id, 'webhook id')
      const result = await store.remove(origin, id)
      if (result.kind === 'missing') throw noWebhook(id)
      onChange()
      return result.webhook
    },

    list: store.list,
  }
}

function noWebhook(id: number | null): RostrumError {
  return notFound('webhook', id)
}

/** A row of another account gets the same answer as one that does not exist. */
function notFound(what: string, id: number | null): RostrumError {
  return new RostrumError('NOT_FOUND', `There is no ${what} \`${id}\`.`)
}
