import { randomBytes } from 'node:crypto'
import { invalidInput, RostrumError } from '../../errors.ts'
import type { Origin } from '../port.ts'
import type { GivenTrigger } from '../triggers/complete-trigger.ts'
import type { Keyring } from './keyring.ts'
import { checkSecret, secretPrefix, unfitSecret } from './secret-rules.ts'
import { maxSecrets } from './verify-delivery.ts'
import { completeWebhook } from './webhook-rules.ts'
import type {
  Rotation,
  SealSecret,
  StoredSecret,
  Webhook,
  WebhookInput,
  WebhookStore,
  WebhookVerification,
} from './webhook-store.ts'

export const maxWebhooks = 100
export const maxOverlapHours = 30 * 24
/** How long the earlier secrets stay live after a new one, unless the caller says. */
export const defaultOverlapHours = 24
const hourMs = 3_600_000
const secretBytes = 32

export interface WebhookWithSecret {
  readonly webhook: Webhook
  /** A new secret, to be shown once; null if the webhook keeps its secrets or got the sender's own. */
  readonly secret: string | null
}

export interface GivenWebhook extends GivenTrigger<WebhookInput> {
  /** The secret of the sender. Null creates one if the webhook needs one. */
  readonly secret: string | null
}

export interface GivenRotation {
  readonly overlapHours: number
  /** The secret of the sender. Null creates one. */
  readonly secret: string | null
}

/** The rules of webhooks (contract, sections 8 and 9). */
export interface Webhooks {
  /**
   * Creates a webhook (null) or changes the one with this id, which gets a new secret if one is given.
   * `BAD_USER_INPUT`; `NOT_FOUND` for an unknown webhook or function; `CONFLICT` for a name that another webhook has,
   * at 100 webhooks, and without the key for secrets.
   */
  save(origin: Origin, id: number | null, given: GivenWebhook): Promise<WebhookWithSecret>
  /** Adds a secret; those before it end after some hours. `NOT_FOUND`, `BAD_USER_INPUT`, `CONFLICT` without the key. */
  rotateSecret(origin: Origin, id: number, given: GivenRotation): Promise<WebhookWithSecret>
  /** Returns the webhook as it was. `NOT_FOUND`. */
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
  async function prepareRotation(
    accountCode: string,
    { overlapHours, secret }: GivenRotation,
  ): Promise<Rotation> {
    const keys = await keyring.forNewSecret()
    const added = secret ?? secretPrefix + randomBytes(secretBytes).toString('base64')
    const seal: SealSecret = (webhookId, secretId) => keys.seal(added, { accountCode, webhookId, secretId })
    return { overlapMs: overlapHours * hourMs, seal, maxSecrets }
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

  // Without this, a webhook would refuse every delivery: its author would see it only in the log of the gateway.
  function checkKept(
    accountCode: string,
    verification: WebhookVerification | null | undefined,
    before: Webhook,
    stored: readonly StoredSecret[],
  ): RostrumError | null {
    if (verification == null || verification === before.verification) return null
    const keys = keyring.forStoredSecrets()
    const open = ({ id, ...secret }: StoredSecret) =>
      keys?.open(secret, { accountCode, webhookId: before.id, secretId: id }) ?? []
    const secrets = stored.flatMap(open)
    const isUseless =
      secrets.length > 0 && secrets.every(secret => checkSecret(verification, secret).length > 0)
    return isUseless ? invalidInput([{ pointer: '/verification', detail: unfitSecret(verification) }]) : null
  }

  return {
    async save(origin, id, { secret: own, ...given }) {
      const { accountCode } = origin
      const { webhook, secretId } = await store.save(origin, id, {
        complete: completeWebhook(given, verification => checkSecret(verification, own)),
        rotation: await prepareRotation(accountCode, { overlapHours: defaultOverlapHours, secret: own }),
        rotates: own !== null,
        checkKept: (before, secrets) => checkKept(accountCode, given.verification, before, secrets),
        maxWebhooks,
      })
      onChange()
      const isShown = secretId !== null && own === null
      return { webhook, secret: isShown ? await readSecret(accountCode, webhook.id, secretId) : null }
    },

    async rotateSecret(origin, id, given) {
      const { overlapHours, secret: own } = given
      if (overlapHours < 0 || overlapHours > maxOverlapHours) {
        throw new RostrumError('BAD_USER_INPUT', `\`overlapHours\` must be from 0 to ${maxOverlapHours}.`)
      }
      const { accountCode } = origin
      const rotation = await prepareRotation(accountCode, given)
      const { webhook, secretId } = await store.rotate(origin, id, rotation, ({ verification }) => {
        const wrong = checkSecret(verification, own)
        return wrong.length === 0 ? null : invalidInput(wrong)
      })
      onChange()
      return { webhook, secret: own === null ? await readSecret(accountCode, id, secretId) : null }
    },

    async remove(origin, id) {
      const webhook = await store.remove(origin, id)
      onChange()
      return webhook
    },

    list: store.list,
  }
}
