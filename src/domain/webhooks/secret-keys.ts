import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import type { SealedSecret } from './webhook-store.ts'

/** Bytes of a key, for AES-256. */
export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Where a secret is stored. A sealed secret that was moved to another place cannot be opened. */
export interface SecretPlace {
  readonly accountCode: string
  readonly webhookId: number
  readonly secretId: number
}

/** Seals secrets with AES-256-GCM, so that the database alone does not reveal them (contract, section 8). */
export interface SecretKeys {
  has(keyId: string): boolean
  /** Seals with the first key. */
  seal(secret: string, place: SecretPlace): SealedSecret
  /** Null if no key opens it: its key is missing, or the bytes or the place differ from what was sealed. */
  open(sealed: SealedSecret, place: SecretPlace): string | null
  /** Takes as long as `open`, for a secret that does not exist. */
  openDecoy(): void
}

const decoyPlace: SecretPlace = { accountCode: '', webhookId: 0, secretId: 0 }

/** `keys` has at least one key. The first key seals, and all open. */
export function createSecretKeys(keys: readonly Buffer[]): SecretKeys {
  const byId = new Map(keys.map(key => [idOf(key), key]))
  const [[firstId, firstKey] = ['', Buffer.alloc(0)]] = byId
  const secretKeys: SecretKeys = {
    has: keyId => byId.has(keyId),
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', firstKey, nonce).setAAD(describe(place))
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return { keyId: firstId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]) }
    },
    open({ keyId, sealed }, place) {
      const key = byId.get(keyId)
      if (key === undefined) return null
      const nonce = sealed.subarray(0, nonceBytes)
      const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes)
      try {
        const options = { authTagLength: tagBytes }
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, options)
          .setAAD(describe(place))
          .setAuthTag(tag)
        const encrypted = sealed.subarray(nonceBytes + tagBytes)
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
    openDecoy: () => void secretKeys.open(decoy, decoyPlace),
  }
  const decoy = secretKeys.seal('whsec_'.padEnd(50, 'x'), decoyPlace)
  return secretKeys
}

// Tells keys apart without revealing them.
function idOf(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('rostrum secrets key\0'), key])).slice(0, 16)
}

function describe({ accountCode, webhookId, secretId }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify(['webhook secret', accountCode, webhookId, secretId]))
}
