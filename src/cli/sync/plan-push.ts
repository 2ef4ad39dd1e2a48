import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import { type FunctionFile, noCaseType, pathOfKey } from './function-files.ts'

/** A file to save, and the hash of the live version that it replaces; null for a new function. */
export interface Push {
  readonly file: FunctionFile
  readonly replaces: string | null
}

export interface PushPlan {
  readonly pushes: readonly Push[]
  /** Lines for the person, about files that are not pushed. */
  readonly remarks: readonly string[]
}

interface Compared {
  readonly files: ReadonlyMap<string, FunctionFile>
  /** The hashes of `rostrum.lock`. */
  readonly locked: Readonly<Record<string, string>>
  readonly live: ReadonlyMap<string, string>
  /** The functions that were named; empty for all. */
  readonly named: readonly string[]
}

/** Finds what to push. Throws an error with exit code 3 if a live version is another than the file was made from. */
export function planPush({ files, locked, live, named }: Compared): PushPlan {
  const keys = named.length === 0 ? [...files.keys()] : named.map(name => findKey(name, files))
  const remarks: string[] = []
  const pushes: Push[] = []
  for (const key of new Set(keys)) {
    const file = files.get(key)
    const liveHash = live.get(key) ?? null
    if (file === undefined || file.hash === liveHash) continue
    if (file.hash === locked[key]) remarks.push(describeMoved(key, liveHash))
    else pushes.push({ file, replaces: liveHash })
  }
  refuseConflicts(pushes, locked)
  const missing = named.length > 0 ? [] : [...live.keys()].filter(key => key in locked && !files.has(key))
  for (const key of missing)
    remarks.push(
      `${pathOfKey(key)} is gone. Its function stays; remove it on its page or with \`removeFunction\`.`,
    )
  return { pushes, remarks }
}

function refuseConflicts(pushes: readonly Push[], locked: Compared['locked']): void {
  const moved = pushes.filter(({ file: { key }, replaces }) => replaces !== (locked[key] ?? null))
  const changed = moved.filter(({ replaces }) => replaces !== null)
  if (changed.length > 0) throw conflict(changed.map(({ file }) => file.key))
  // The others were removed.
  if (moved.length > 0) throw removedMeanwhile(moved.map(({ file }) => file.key))
}

function findKey(name: string, files: ReadonlyMap<string, FunctionFile>): string {
  const short = name.replace(/^(?:\.\/)?functions\//, '')
  const whole = short.includes('/') ? short : `${noCaseType}/${short}`
  const key = whole.replace(/\.js$/, '')
  if (files.has(key)) return key
  // The name of a function may end in `.js` too.
  if (files.has(whole)) return whole
  throw wrongUse(
    `There is no file \`${pathOfKey(key)}\` for \`${name}\`. Name a function as \`<case type>/<name>\`.`,
  )
}

function describeMoved(key: string, liveHash: string | null): string {
  return liveHash === null
    ? `${pathOfKey(key)} is as it was pulled, and its function was removed since. Nothing is pushed for it.`
    : `${pathOfKey(key)} is as it was pulled, and a newer version is live. Run \`rostrum pull\` to get it.`
}

/** The error for live versions that changed since the last `pull`. `pushed` says what was pushed before it was seen. */
export function conflict(keys: readonly string[], pushed = 'Nothing was pushed.'): CliError {
  return new CliError(
    exitCodes.conflict,
    `The live version of ${keys.join(', ')} changed since the last \`rostrum pull\`. ${pushed} ` +
      'Copy the files that you changed, run `rostrum pull --force`, which overwrites them, and make your ' +
      'changes again.',
  )
}

/** The error for functions that were removed since the last `pull`, although their files changed. */
export function removedMeanwhile(keys: readonly string[], pushed = 'Nothing was pushed.'): CliError {
  const were = keys.length === 1 ? 'was' : 'were'
  return new CliError(
    exitCodes.conflict,
    `${keys.join(', ')} ${were} removed since the last \`rostrum pull\`. ${pushed} ` +
      'Run `rostrum pull`, which keeps files that changed, and push again, which creates what was removed.',
  )
}
