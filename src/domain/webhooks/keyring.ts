import { randomBytes } from 'node:crypto'
import { RostrumError } from '../../errors.ts'
import { createSecretKeys, keyBytes, type SecretKeys } from './secret-keys.ts'

/** The file of a store that keeps its key itself. */
export interface KeyFile {
  /** The key; null before its first use. */
  read(): Buffer | null
  /** Keeps the key, durably, and gives it back. */
  create(key: Buffer): Buffer
}

/** The keys of a gateway. */
export interface Keyring {
  /** For a new secret. Creates the key of a store that keeps it itself, else `CONFLICT` if there is none. */
  forNewSecret(): SecretKeys
  /** For stored secrets; null if there is no key. */
  forStoredSecrets(): SecretKeys | null
}

interface Dependencies {
  /** Of the setting; empty if it is not set. */
  readonly keys: readonly Buffer[]
  /** Null for a store that several gateways can share. */
  readonly keyFile: KeyFile | null
}

export function createKeyring({ keys, keyFile }: Dependencies): Keyring {
  const kept = keys.length === 0 ? (keyFile?.read() ?? null) : null
  const given = kept === null ? keys : [kept]
  let current = given.length === 0 ? null : createSecretKeys(given)
  return {
    forNewSecret() {
      if (current === null && keyFile !== null) {
        current = createSecretKeys([keyFile.create(randomBytes(keyBytes))])
      }
      if (current !== null) return current
      throw new RostrumError(
        'CONFLICT',
        'Webhooks need a key for their secrets: set ROSTRUM_SECRETS_KEY, the same for all gateways, and start again.',
        { reason: 'NO_KEY' },
      )
    },
    forStoredSecrets: () => current,
  }
}
