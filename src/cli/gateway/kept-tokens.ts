import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { wrongUse } from '../frame/cli-error.ts'
import type { Environment } from '../frame/command.ts'

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
    throw wrongUse(`Cannot read the kept tokens in ${file}: ${(error as Error).message}.`)
  }
  const kept = parse(text)
  if (!isKept(kept))
    throw wrongUse(`${file} is not what \`rostrum login\` writes. Delete it, and sign in again.`)
  return kept
}

/** Keeps tokens in a file that other users cannot read. */
export function writeKeptTokens(environment: Environment, kept: KeptTokens): void {
  const file = findTokenFile(environment)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  chmodSync(dirname(file), 0o700)
  // A reader sees the old file or the new one.
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: 'w' })
  renameSync(next, file)
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
