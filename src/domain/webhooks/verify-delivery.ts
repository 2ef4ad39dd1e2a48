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

/**
 * Checks the signature of the raw bytes against every secret, in constant time (contract, section 8). A refusal hashes
 * the body three times however many secrets there are, so that its time reveals nothing.
 */
export function verifyDelivery(delivery: Delivery, given: Verification): VerificationResult {
  const result = verifiers[given.verification](delivery, given)
  if (result.kind === 'refused') {
    const hashed = given.verification === 'secret' ? 0 : given.secrets.length
    for (let count = hashed; count < maxSecrets; count++) sign(delivery.body, 'no secret', [])
  }
  return result
}

/** Takes as long as the refusal of a webhook that exists. */
export function refuseUnknown({ body }: Delivery): VerificationResult {
  for (let count = 0; count < maxSecrets; count++) sign(body, 'no secret', [])
  return refused
}

const standardSignature = /^v1,[\w+/]{43}=$/

type Verify = (delivery: Delivery, given: Verification) => VerificationResult

const verifiers: Readonly<Record<WebhookVerification, Verify>> = {
  standard({ header, body }, { secrets, nowMs }) {
    const id = header('webhook-id') ?? ''
    const timestamp = header('webhook-timestamp') ?? ''
    const listed = (header('webhook-signature') ?? '').split(' ').filter(text => standardSignature.test(text))
    // Node reads each byte of a header as a character.
    const before = Buffer.from(`${id}.${timestamp}.`, 'latin1')
    const expected = secrets.map(secret => `v1,${sign(body, decodeSecret(secret), [before], 'base64')}`)
    const isSigned = isAnyEqual(listed, expected)
    const isTimely =
      /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= maxAgeSeconds
    return isSigned && isTimely && id !== '' ? { kind: 'verified', messageId: id } : refused
  },

  // GitHub always sends an id, so that one without it comes from somebody who wants it run twice.
  github({ header, body }, { secrets }) {
    const messageId = header('x-github-delivery') ?? ''
    const expected = secrets.map(secret => `sha256=${sign(body, secret, [])}`)
    const isSigned = isAnyEqual([header('x-hub-signature-256') ?? ''], expected)
    return isSigned && messageId !== '' ? { kind: 'verified', messageId } : refused
  },

  secret(delivery, { header, secrets }) {
    const sent = header === null ? '' : (delivery.header(header) ?? '')
    return isAnyEqual([sent], secrets) ? { kind: 'verified', messageId: null } : refused
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
  const digests = expected.map(text => hash('sha256', text, 'buffer'))
  let isEqual = false
  for (const text of sent) {
    const digest = hash('sha256', text, 'buffer')
    for (const one of digests) isEqual = timingSafeEqual(digest, one) || isEqual
  }
  return isEqual
}
