import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { readSecretsKey } from '../../config.ts'
import type { KeyFile } from '../../domain/webhooks/keyring.ts'
import { RostrumError, StartError } from '../../errors.ts'
import { describeFailure } from './connection/describe-failure.ts'

// The permission bits that let group or others read or write.
const othersMode = 0o066

/**
 * The key of a SQLite store, in a file beside the store that only its owner can read. It has the form of the setting
 * ROSTRUM_SECRETS_KEY.
 */
export function createKeyFile(databasePath: string): KeyFile {
  const path = `${databasePath}.secrets-key`
  if (databasePath === ':memory:') {
    return { path, read: () => null, isOpenToOthers: () => false, create: key => key }
  }
  return {
    path,
    isOpenToOthers: () => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & othersMode) !== 0,
    read() {
      const text = readText(path)
      if (text === null) return null
      const key = readSecretsKey(text.trim())
      if (key !== null) return key
      throw new StartError(
        `The file \`${path}\` holds no key for secrets. Put its backup there, or remove it and save all webhooks anew.`,
      )
    },
    create(key) {
      try {
        writeWhole(path, `${key.toString('base64')}\n`)
        return key
      } catch (cause) {
        const message = `The key for secrets cannot be written beside the database: ${describeFailure(cause)}.`
        throw new RostrumError('UNAVAILABLE', `${message} Nothing was changed.`, {
          retryAfterSeconds: 10,
          cause,
        })
      }
    },
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartError(`The file \`${path}\` cannot be read: ${describeFailure(cause)}.`, { cause })
  }
}

// Writes the whole key or nothing. It is on disk before any secret is encrypted with it.
function writeWhole(path: string, text: string): void {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
