import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { WebhookVerification } from './webhook-store.ts'

// Standard Webhooks: a signature that is older, or newer, is refused.
const maxAgeSeconds = 300
export const maxSecrets = 3
export const secretPrefix = 'whsec_'

/** A request as it came. Values of a header that came several times are joined with `, `. */
export interface Delivery {
  readonly header: (name: string) => string | undefined
  readonly body: Buffer
}

export interface Verification {
  readonly verification: WebhookVerification
  /** The name of the header that holds the secret. */
  readonly header: string | null
  /** The live secrets as they were shown. */
  readonly secrets: readonly string[]
  readonly nowMs: number
}

/** `messageId` is null for a sender that gives none. */
export type VerificationResult =
  | { readonly kind: 'verified'; readonly messageId: string | null }
  | { readonly kind: 'refused' }

/** The headers that show who sends. */
export const verificationHeaders = ['webhook-signature', 'x-hub-signature', 'x-hub-signature-256'] as const

const refused = { kind: 'refused' } as const

// Listed signatures that are compared. Each sender with a new secret lists two.
const maxSignatures = 16

/**
 * Checks the signature of the raw bytes against every secret, in constant time (contract, section 8). Every refusal
 * hashes the body three times and the same number of short texts, so that its time does not reveal whether the webhook
 * exists, how it verifies, or how many secrets it has. `given` is null for an unknown or disabled webhook.
 */
export function verifyDelivery(delivery: Delivery, given: Verification | null): VerificationResult {
  const listed = listSignatures(delivery)
  const check = given === null ? null : verifiers[given.verification](delivery, given, listed)
  if (check?.messageId !== undefined) return { kind: 'verified', messageId: check.messageId }
  const { bodies = 0, texts = 0 } = check ?? {}
  for (let count = bodies; count < maxSecrets; count++) sign(delivery.body, 'no secret', [])
  for (let count = texts; count < maxSecrets + Math.max(1, listed.length); count++) digestOf(noSignature)
  return refused
}

const standardSignature = /^v1,[\w+/]{43}=$/
const noSignature = `v1,${'A'.repeat(43)}=`

function listSignatures({ header }: Delivery): string[] {
  const words = (header('webhook-signature') ?? '').split(' ')
  return words.filter(text => standardSignature.test(text)).slice(0, maxSignatures)
}

interface Check {
  /** Undefined if the delivery is refused. */
  readonly messageId: string | null | undefined
  /** How many times the body was hashed. */
  readonly bodies: number
  /** How many short texts were hashed. */
  readonly texts: number
}

type Verify = (delivery: Delivery, given: Verification, listed: readonly string[]) => Check

const verifiers: Readonly<Record<WebhookVerification, Verify>> = {
  standard({ header, body }, { secrets, nowMs }, listed) {
    const id = header('webhook-id') ?? ''
    const timestamp = header('webhook-timestamp') ?? ''
    // Node reads each byte of a header as a character.
    const before = Buffer.from(`${id}.${timestamp}.`, 'latin1')
    const expected = secrets.map(secret => `v1,${sign(body, decodeSecret(secret), [before], 'base64')}`)
    const isSigned = isAnyEqual(listed, expected)
    const isTimely =
      /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= maxAgeSeconds
    const messageId = isSigned && isTimely && id !== '' ? id : undefined
    return { messageId, bodies: secrets.length, texts: listed.length + secrets.length }
  },

  // GitHub always sends an id, so that one without it comes from somebody who wants it run twice.
  github({ header, body }, { secrets }) {
    const id = header('x-github-delivery') ?? ''
    const expected = secrets.map(secret => `sha256=${sign(body, secret, [])}`)
    const isSigned = isAnyEqual([header('x-hub-signature-256') ?? ''], expected)
    const messageId = isSigned && id !== '' ? id : undefined
    return { messageId, bodies: secrets.length, texts: 1 + secrets.length }
  },

  secret(delivery, { header, secrets }) {
    const sent = header === null ? '' : (delivery.header(header) ?? '')
    const messageId = isAnyEqual([sent], secrets) ? null : undefined
    return { messageId, bodies: 0, texts: 1 + secrets.length }
  },
}

/** `STANDARD` signs with the bytes that the secret encodes. */
function decodeSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(secretPrefix.length), 'base64')
}

function sign(
  body: Buffer,
  key: string | Buffer,
  before: readonly Buffer[],
  encoding: 'hex' | 'base64' = 'hex',
) {
  const hmac = createHmac('sha256', key)
  for (const bytes of before) hmac.update(bytes)
  return hmac.update(body).digest(encoding)
}

// Compares all, whichever are equal. Texts are compared by their digests, which have one length.
function isAnyEqual(sent: readonly string[], expected: readonly string[]): boolean {
  const digests = expected.map(digestOf)
  let isEqual = false
  for (const text of sent) {
    const digest = digestOf(text)
    for (const one of digests) isEqual = timingSafeEqual(digest, one) || isEqual
  }
  return isEqual
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
