import { dirname, join } from 'node:path'
import { showControls } from '../../show-controls.ts'
import { deleteFile, makeFolder, writeFile } from '../files/write-file.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'
import type { Terminal } from '../frame/terminal.ts'
import { chooseGateway, describeUrl, urlOption } from '../gateway/choose-gateway.ts'
import { createGatewayClient, sayOnce } from '../gateway/gateway-client.ts'
import { hashFunctionFiles, hashSource, pathOfKey } from './function-files.ts'
import { findLiveFunctions, readLiveSources } from './live-functions.ts'
import {
  checkLock,
  checkLockIsWritable,
  type GatewayAccount,
  isLockOf,
  type Lock,
  lockedFunctions,
  readLock,
  writeLock,
} from './lock-file.ts'
import { refuseSameFile } from './same-file.ts'

export const command: Command = {
  usage: '[--dir <folder>] [--force] [--url <url>]',
  help: `Writes the live source of every function to \`functions/<case type code, or _>/<name>.js\`, and what was
pulled to \`rostrum.lock\` beside it. Deletes the files of functions that are gone, if they are as they were pulled.
If a file and its function changed, nothing is written, and the exit code is 3.

  --dir <folder>  the folder with \`functions\`; the current one without
  --force         overwrites files that changed
${describeUrl(14)}
`,
  options: { dir: { type: 'string' }, force: { type: 'boolean' }, ...urlOption },
  args: [0, 0],
  async run(call) {
    const folder = call.resolve(call.text('dir') ?? '.')
    const client = createGatewayClient(chooseGateway(call), call.signal, {
      say: sayOnce(call.terminal),
      signal: call.signal,
    })
    const lock = readLock(folder)
    let files = hashFunctionFiles(folder)
    const { account, hashes } = await findLiveFunctions(client)
    const target = { url: client.url, account }
    const isForced = call.isSet('force')
    if (!isForced) checkLock(lock, target)
    const pulled = lockedFunctions(lock, target)
    const changed = [...hashes].filter(([key, hash]) => files.get(key) !== hash).map(([key]) => key)
    const refuseConflicts = () => {
      const hasChanged = (key: string) =>
        files.has(key) && ![pulled[key], hashes.get(key)].includes(files.get(key))
      const conflicts = changed.filter(hasChanged)
      if (conflicts.length > 0 && !isForced) throw conflict(conflicts)
    }
    refuseConflicts()
    refuseSameFile(folder, [...hashes.keys()])
    const sources = await readLiveSources(client, hashes, changed)
    // Somebody may have saved a file while the sources were read.
    files = hashFunctionFiles(folder)
    refuseConflicts()
    const gone = Object.keys(pulled).filter(key => !hashes.has(key) && files.has(key))
    makeFolder(folder)
    if (changed.length + gone.length > 0) checkLockIsWritable(folder)
    const asLive = [...hashes].filter(([key, hash]) => files.get(key) === hash)
    // Somebody may have pushed from this folder meanwhile.
    const lockedNow = lockedFunctions(readLock(folder), target)
    const locked = new Map([...Object.entries(lockedNow), ...asLive])
    const saveLock = () => writeLock(folder, { ...target, functions: Object.fromEntries(locked) })
    let isChanged = false
    try {
      for (const key of changed) {
        const source = sources.get(key) ?? ''
        writeSource(join(folder, pathOfKey(key)), source)
        isChanged = true
        // Another version may have become live since the list was read.
        locked.set(key, hashSource(source))
        call.terminal.write(`${pathOfKey(key)}\n`)
      }
      for (const key of gone)
        call.terminal.say(deleteGone(folder, key, { isAsPulled: files.get(key) === pulled[key] }))
    } catch (error) {
      // A file that was written without its hash in the lock would be a conflict later.
      if (isChanged) saveLock()
      throw error
    }
    for (const key of Object.keys(pulled)) if (!hashes.has(key)) locked.delete(key)
    saveLock()
    if (lock !== null && !isLockOf(lock, target)) sayOther(call.terminal, { lock, target, files, hashes })
    else if (changed.length + gone.length === 0) call.terminal.say('Everything is as it was pulled.')
    return exitCodes.done
  },
}

function conflict(keys: readonly string[]): CliError {
  const names = keys.map(pathOfKey).join(', ')
  const have = keys.length === 1 ? 'It has' : 'They have'
  return new CliError(
    exitCodes.conflict,
    `${names} changed here since the last pull. ${have} not been overwritten, and nothing was written. ` +
      'Save your changes elsewhere, or run `rostrum pull --force`.',
  )
}

interface Replaced {
  readonly lock: Lock
  readonly target: GatewayAccount
  readonly files: ReadonlyMap<string, string>
  readonly hashes: ReadonlyMap<string, string>
}

// Says that the folder is of another account now, and which of its files have no function there.
function sayOther({ say }: Terminal, { lock, target, files, hashes }: Replaced): void {
  const was = `the account \`${lock.account}\` at ${lock.url}`
  say(showControls(`The folder was of ${was}. It is of \`${target.account}\` at ${target.url} now.`))
  for (const key of files.keys())
    if (!hashes.has(key))
      say(`kept ${pathOfKey(key)}: it has no function there, and \`rostrum push\` would add it`)
}

/** Deletes the file of a function that is gone, unless the file changed. Returns what was done. */
function deleteGone(folder: string, key: string, { isAsPulled }: { readonly isAsPulled: boolean }): string {
  const path = pathOfKey(key)
  if (!isAsPulled) return `kept ${path}: its function is gone, and the file changed`
  deleteFile(join(folder, path))
  return `deleted ${path}: its function is gone`
}

function writeSource(path: string, source: string): void {
  makeFolder(dirname(path))
  writeFile(path, source)
}
