import { chmodSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { Environment } from '../../config.ts'
import { fileError } from '../files/file-error.ts'
import { makeFolder, replaceFile } from '../files/write-file.ts'
import { wrongUse } from '../frame/cli-error.ts'

/** What `rostrum login` kept: the URL of its last gateway, and a token for each URL. */
export interface KeptTokens {
  readonly current: string | null
  readonly tokens: Readonly<Record<string, string>>
}

const nothing: KeptTokens = { current: null, tokens: {} }

/** The file in which `rostrum login` keeps tokens. */
export function findTokenFile({ XDG_CONFIG_HOME: base, HOME }: Environment): string {
  const folder = base && isAbsolute(base) ? base : join(HOME || homedir(), '.config')
  return join(folder, 'rostrum', 'credentials.json')
}

/** Returns what is kept; nothing if there is no file. Throws an error that names a file that cannot be read. */
export function readKeptTokens(environment: Environment): KeptTokens {
  const file = findTokenFile(environment)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return nothing
    throw fileError('read', file, error)
  }
  const kept = parse(text)
  if (!isKept(kept))
    throw wrongUse(`${file} is not what \`rostrum login\` writes. Delete it, and sign in again.`)
  return kept
}

/** Keeps tokens in a file that other users cannot read. Throws an error that names what cannot be written. */
export function writeKeptTokens(environment: Environment, kept: KeptTokens): void {
  const file = findTokenFile(environment)
  const folder = dirname(file)
  makeFolder(folder, 0o700)
  try {
    chmodSync(folder, 0o700)
  } catch (error) {
    throw fileError('protect the folder', folder, error)
  }
  replaceFile(file, `${JSON.stringify(kept, null, 2)}\n`, 0o600)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isKept(kept: unknown): kept is KeptTokens {
  if (typeof kept !== 'object' || kept === null) return false
  const { current, tokens } = kept as Partial<KeptTokens>
  if (typeof tokens !== 'object' || tokens === null) return false
  const areTexts = Object.values(tokens).every(token => typeof token === 'string')
  return areTexts && (current === null || typeof current === 'string')
}
