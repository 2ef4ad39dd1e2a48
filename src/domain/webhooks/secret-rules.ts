import type { FieldError } from '../../errors.ts'
import { countCharacters } from '../../json/count-characters.ts'
import { describeUnstorable } from '../storable-text.ts'
import type { WebhookVerification } from './webhook-store.ts'

export const secretPrefix = 'whsec_'

const minKeyBytes = 24
const maxKeyBytes = 64
const minCharacters = 16
const maxCharacters = 512

const standardRule = `must be \`${secretPrefix}\` and ${minKeyBytes} to ${maxKeyBytes} bytes of base64`
const textRule = `must have ${minCharacters} to ${maxCharacters} characters`

/**
 * Finds what is wrong with a sender's own secret (contract, section 9); nothing for null. No message repeats a part of
 * the secret.
 */
export function checkSecret(verification: WebhookVerification, secret: string | null): FieldError[] {
  const problem = secret === null ? null : problems[verification](secret)
  return problem === null ? [] : [{ pointer: '/secret', detail: problem }]
}

/** Why a webhook cannot change its verification and keep its secret. */
export function unfitSecret(verification: WebhookVerification): string {
  return `needs another secret than the webhook has: give a \`secret\`, which ${rules[verification]}`
}

const rules: Readonly<Record<WebhookVerification, string>> = {
  standard: standardRule,
  github: `${textRule}, none of them a control character`,
  secret: `${textRule} of visible ASCII, and spaces inside, since a header carries it`,
}

const problems: Readonly<Record<WebhookVerification, (secret: string) => string | null>> = {
  standard: secret => (decodeStandardSecret(secret) === null ? rules.standard : null),
  github(secret) {
    return hasGoodLength(secret) && !/\p{Cc}/u.test(secret) ? describeUnstorable(secret) : rules.github
  },
  secret(secret) {
    const isHeaderValue = /^[!-~](?:[ -~]*[!-~])?$/.test(secret)
    return hasGoodLength(secret) && isHeaderValue ? null : rules.secret
  },
}

function hasGoodLength(secret: string): boolean {
  const characters = countCharacters(secret, maxCharacters)
  return characters >= minCharacters && characters <= maxCharacters
}

/**
 * The key that a secret encodes for `STANDARD`. Null for any other text: what it decodes to may be empty, and everybody
 * can sign with an empty key.
 */
export function decodeStandardSecret(secret: string): Buffer | null {
  if (!secret.startsWith(secretPrefix)) return null
  const encoded = secret.slice(secretPrefix.length)
  const key = Buffer.from(encoded, 'base64')
  const isWhole = key.toString('base64') === encoded
  return isWhole && key.length >= minKeyBytes && key.length <= maxKeyBytes ? key : null
}
