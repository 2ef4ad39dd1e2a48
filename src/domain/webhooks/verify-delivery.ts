import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { decodeStandardSecret } from './secret-rules.ts'
import type { WebhookVerification } from './webhook-store.ts'

// Maximum difference of a signature's time from now, as Standard Webhooks demands.
const maxAgeSeconds = 300
export const maxSecrets = 3

/** A request as it arrived. Values of a header that came several times are joined with `, `. */
export interface ReceivedDelivery {
  readonly header: (name: string) => string | undefined
  readonly body: Buffer
}

export interface Verification {
  readonly verification: WebhookVerification
  /** The name of the header that holds the secret. */
  readonly header: string | null
  /** The live secrets, in the form that was shown to the user. */
  readonly secrets: readonly string[]
  readonly nowMs: number
}

/** `messageId` is null if the sender sends none. */
export type VerificationResult =
  | { readonly kind: 'verified'; readonly messageId: string | null }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }

/** Why a delivery to a webhook that exists is refused, for its author alone. */
export type RefusalReason =
  | 'disabled'
  | 'no readable secret'
  | 'no signature'
  | 'bad signature'
  | TimestampFault
  | 'no message id'

type TimestampFault = 'no timestamp' | 'old timestamp' | 'future timestamp'

/** The headers that show who sends. */
export const verificationHeaders = [
  'webhook-signature',
  'svix-signature',
  'x-hub-signature',
  'x-hub-signature-256',
] as const

// Maximum number of listed signatures that are compared. A sender with a new secret lists two.
const maxSignatures = 16

/**
 * Checks the signature of the raw bytes against every secret, in constant time (contract, section 8). Every refusal
 * hashes the body three times and the same number of short texts, so that its time does not reveal whether the webhook
 * exists, how it verifies, or how many secrets it has. `given` is null for an unknown or disabled webhook.
 */
export function verifyDelivery(delivery: ReceivedDelivery, given: Verification | null): VerificationResult {
  const signed = readStandardHeaders(delivery)
  const { listed } = signed
  const check = given === null ? null : verifiers[given.verification](delivery, given, signed)
  const { result = disabled, bodies = 0, texts = 0 } = check ?? {}
  if (result.kind === 'verified') return result
  for (let count = bodies; count < maxSecrets; count++) sign(delivery.body, 'no secret', [])
  for (let count = texts; count < maxSecrets + Math.max(1, listed.length); count++) digestOf(noSignature)
  return result
}

const disabled: VerificationResult = { kind: 'refused', reason: 'disabled' }

const standardSignature = /^v1,[\w+/]{43}=$/
const noSignature = `v1,${'A'.repeat(43)}=`

interface StandardHeaders {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  /** The signatures of the header that are well-formed. */
  readonly listed: readonly string[]
}

// Svix has its own names for the same headers. The two sets are never mixed.
function readStandardHeaders({ header }: ReceivedDelivery): StandardHeaders {
  const prefix = header('webhook-signature') === undefined ? 'svix' : 'webhook'
  const signature = header(`${prefix}-signature`) ?? ''
  const listed = signature
    .split(' ')
    .filter(text => standardSignature.test(text))
    .slice(0, maxSignatures)
  return {
    id: header(`${prefix}-id`) ?? '',
    timestamp: header(`${prefix}-timestamp`) ?? '',
    signature,
    listed,
  }
}

interface Check {
  readonly result: VerificationResult
  /** How many times the body was hashed. */
  readonly bodies: number
  /** How many short texts were hashed. */
  readonly texts: number
}

type Verify = (delivery: ReceivedDelivery, given: Verification, signed: StandardHeaders) => Check

const verifiers: Readonly<Record<WebhookVerification, Verify>> = {
  standard({ body }, { secrets, nowMs }, { id, timestamp, signature, listed }) {
    // A webhook whose verification was changed may have a secret that encodes no key.
    const keys = secrets.map(decodeStandardSecret).filter(key => key !== null)
    // Node reads each byte of a header as a character.
    const before = Buffer.from(`${id}.${timestamp}.`, 'latin1')
    const expected = keys.map(key => `v1,${sign(body, key, [before], 'base64')}`)
    const isSigned = isAnyEqual(listed, expected)
    const timestampFault = findTimestampFault(timestamp, nowMs)
    const result = judge({ isReadable: keys.length > 0, signature, isSigned, timestampFault, messageId: id })
    return { result, bodies: keys.length, texts: listed.length + keys.length }
  },

  // GitHub always sends an id. A delivery without one comes from somebody who wants it run twice.
  github({ header, body }, { secrets }) {
    const id = header('x-github-delivery') ?? ''
    const signature = header('x-hub-signature-256') ?? ''
    const expected = secrets.map(secret => `sha256=${sign(body, secret, [])}`)
    const isSigned = isAnyEqual([signature], expected)
    const result = judge({ isReadable: secrets.length > 0, signature, isSigned, messageId: id })
    return { result, bodies: secrets.length, texts: 1 + secrets.length }
  },

  secret(delivery, { header, secrets }) {
    const sent = header === null ? '' : (delivery.header(header) ?? '')
    const isSigned = isAnyEqual([sent], secrets)
    const result = judge({ isReadable: secrets.length > 0, signature: sent, isSigned, messageId: null })
    return { result, bodies: 0, texts: 1 + secrets.length }
  },
}

interface Findings {
  readonly isReadable: boolean
  readonly signature: string
  readonly isSigned: boolean
  readonly timestampFault?: TimestampFault | null
  /** Empty if the delivery lacks it. */
  readonly messageId: string | null
}

function judge(findings: Findings): VerificationResult {
  const reason = findReason(findings)
  return reason === null ? { kind: 'verified', messageId: findings.messageId } : { kind: 'refused', reason }
}

function findReason({
  isReadable,
  signature,
  isSigned,
  timestampFault,
  messageId,
}: Findings): RefusalReason | null {
  if (!isReadable) return 'no readable secret'
  if (signature === '') return 'no signature'
  if (!isSigned) return 'bad signature'
  return timestampFault ?? (messageId === '' ? 'no message id' : null)
}

// Returns what is wrong with a time in seconds. A time in milliseconds is one of the future.
function findTimestampFault(timestamp: string, nowMs: number): TimestampFault | null {
  if (!/^\d{1,20}$/.test(timestamp)) return 'no timestamp'
  const ageSeconds = nowMs / 1_000 - Number(timestamp)
  if (ageSeconds > maxAgeSeconds) return 'old timestamp'
  return ageSeconds < -maxAgeSeconds ? 'future timestamp' : null
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

// Compares all pairs, even after two are equal, so that the time is constant. Texts are compared by their digests,
// which have one length.
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
