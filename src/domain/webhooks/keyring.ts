import { randomBytes } from 'node:crypto'
import { RostrumError } from '../../errors.ts'
import { createSecretKeys, keyBytes, type SecretKeys } from './secret-keys.ts'

/** The file of a store that keeps its key itself. */
export interface KeyFile {
  readonly path: string
  /** Returns the key, or null before its first use. */
  read(): Buffer | null
  /** True if other users than the owner of the file can read or change it. */
  isOpenToOthers(): boolean
  /** Keeps the key, durably, and returns it. */
  create(key: Buffer): Buffer
}

/** The keys of a gateway. */
export interface Keyring {
  /**
   * Returns the keys for a new secret, and creates the key of a store that keeps it itself. `CONFLICT` if there is
   * none, and while a live secret was sealed with another key: a second key would hide that the first one is lost.
   */
  forNewSecret(): Promise<SecretKeys>
  /** Returns the keys for stored secrets, or null if there is none. */
  forStoredSecrets(): SecretKeys | null
}

interface Dependencies {
  /** The keys of the setting, empty if it is not set. */
  readonly keys: readonly Buffer[]
  /** Null for a store that several gateways can share. */
  readonly keyFile: KeyFile | null
  /** Returns the ids of the keys that seal the live secrets of the store. */
  readonly findKeyIds: () => Promise<readonly string[]>
}

export function createKeyring({ keys, keyFile, findKeyIds }: Dependencies): Keyring {
  const fromFile = keys.length === 0 ? (keyFile?.read() ?? null) : null
  const known = fromFile === null ? keys : [fromFile]
  let current = known.length === 0 ? null : createSecretKeys(known)
  return {
    async forNewSecret() {
      const keyIds = await findKeyIds()
      if (!keyIds.every(id => current?.has(id))) throw keyLost(keys.length > 0, keyFile)
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

function keyLost(isSet: boolean, keyFile: KeyFile | null): RostrumError {
  const remedy = adviseOnLostKey(isSet, keyFile === null ? null : `the file \`${keyFile.path}\``)
  return new RostrumError(
    'CONFLICT',
    `The key of stored webhook secrets is lost, so no new secret is made. ${remedy}, and start again. Without a ` +
      'backup, remove the webhooks whose deliveries are refused.',
    { reason: 'KEY_LOST' },
  )
}

function adviseOnLostKey(isSet: boolean, file: string | null): string {
  if (!isSet)
    return file === null ? 'Set ROSTRUM_SECRETS_KEY to that key' : `Put ${file} back from its backup`
  const text = file === null ? '' : `, which may be the text of ${file},`
  return `Add that key${text} to the setting ROSTRUM_SECRETS_KEY, after the new one`
}
