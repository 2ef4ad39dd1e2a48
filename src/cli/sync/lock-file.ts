import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileError } from '../files/file-error.ts'
import { checkReplaceable, replaceFile } from '../files/write-file.ts'
import { wrongUse } from '../frame/cli-error.ts'

/** An account of a gateway. */
export interface GatewayAccount {
  readonly url: string
  readonly account: string
}

/** What the last `pull` or `push` left: the hash of each function's live version by its key. */
export interface Lock extends GatewayAccount {
  readonly functions: Readonly<Record<string, string>>
}

const lockName = 'rostrum.lock'

/** Reads `rostrum.lock` in a folder. Null if there is none. Throws an error for a file that is no lock. */
export function readLock(folder: string): Lock | null {
  const file = join(folder, lockName)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw fileError('read', file, error)
  }
  const lock = parse(text) as Partial<Lock> | null
  const { url, account, functions } = lock ?? {}
  const isLock =
    typeof url === 'string' &&
    typeof account === 'string' &&
    typeof functions === 'object' &&
    functions !== null
  if (!isLock)
    throw wrongUse(`\`${lockName}\` is no lock of \`rostrum pull\`. Restore it, or delete it and pull.`)
  return { url, account, functions }
}

/** Throws an error if a lock is of another gateway or account, whose hashes say nothing about this one. */
export function checkLock(lock: Lock | null, target: GatewayAccount): void {
  if (lock === null || isLockOf(lock, target)) return
  const { url, account } = target
  throw wrongUse(
    `\`${lockName}\` is of the account \`${lock.account}\` at ${lock.url}, and you ask for \`${account}\` at ${url}. ` +
      `Name that gateway by \`--url\`, another folder by \`--dir\`, or replace the files by \`rostrum pull --force\`.`,
  )
}

/** Returns the hashes of a lock by key; none of a lock of another gateway or account. */
export function lockedFunctions(lock: Lock | null, target: GatewayAccount): Lock['functions'] {
  return lock !== null && isLockOf(lock, target) ? lock.functions : {}
}

export const isLockOf = (lock: Lock, { url, account }: GatewayAccount): boolean =>
  lock.url === url && lock.account === account

/** Throws an error if the lock cannot be written. */
export function checkLockIsWritable(folder: string): void {
  checkReplaceable(join(folder, lockName))
}

/** Writes the lock, with sorted keys, unless it is as it was. Throws an error if it cannot be written. */
export function writeLock(folder: string, { url, account, functions }: Lock): void {
  const file = join(folder, lockName)
  const sorted = Object.fromEntries(Object.entries(functions).sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = `${JSON.stringify({ account, functions: sorted, url }, null, 2)}\n`
  const before = parse(readOrNull(file))
  if (before !== null && `${JSON.stringify(before, null, 2)}\n` === text) return
  replaceFile(file, text)
}

/** Adds hashes to the lock as it is now, because another push in this folder may have written it meanwhile. */
export function addToLock(folder: string, added: Lock): void {
  const before = lockedFunctions(readLock(folder), added)
  writeLock(folder, { ...added, functions: { ...before, ...added.functions } })
}

function readOrNull(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'null'
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
