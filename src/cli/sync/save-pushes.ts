import { setImmediate as nextTurn } from 'node:timers/promises'
import { CliError } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { type GatewayClient, GatewayRefusal } from '../gateway/gateway-client.ts'
import { splitKey } from './function-files.ts'
import { addToLock, checkLockIsWritable, type Lock } from './lock-file.ts'
import { conflict, type Push, removedMeanwhile } from './plan-push.ts'

const mutation = 'mutation ($input: SaveFunctionInput!) { saveFunction(input: $input) { live { hash } } }'

interface Saving {
  readonly pushes: readonly Push[]
  readonly folder: string
  /** What to add to the lock beside what is saved. */
  readonly known: Lock
}

type CallParts = Pick<CommandCall, 'text' | 'terminal' | 'signal' | 'atEnd'>

/**
 * Saves functions one after the other. If a save fails, the error says which were pushed. The lock has what was saved,
 * even if a later save is refused. It stays if the first one is. Nothing is saved if the lock cannot be written. After
 * Ctrl-C no further save is sent, and the process waits for the one that was sent, and for the lock: the signal of the
 * call must not be the client's.
 */
export async function savePushes(call: CallParts, client: GatewayClient, saving: Saving): Promise<void> {
  const work = saveAll(call, client, saving)
  const forget = call.atEnd(() => work.catch(() => {}))
  await work.finally(forget)
}

async function saveAll(
  { text, terminal, signal }: CallParts,
  client: GatewayClient,
  { pushes, folder, known }: Saving,
): Promise<void> {
  if (pushes.length > 0) refuseUnwritableLock(folder)
  const functions: Record<string, string> = { ...known.functions }
  const saved: string[] = []
  const keys = pushes.map(({ file }) => file.key)
  let failure: unknown = null
  try {
    for (const push of pushes) {
      const { key, hash } = push.file
      await nextTurn()
      signal.throwIfAborted()
      const isNew = await save(client, push, text('comment') ?? null).catch((error: unknown) => {
        throw describeFailure(error, saved, keys.slice(saved.length))
      })
      functions[key] = hash
      saved.push(key)
      terminal.say(isNew ? `pushed ${key} ${hash.slice(0, 8)}` : `${key} is live already`)
    }
  } catch (error) {
    failure = error
  }
  try {
    if (saved.length > 0 || pushes.length === 0) addToLock(folder, { ...known, functions })
  } catch (error) {
    throw describeLostLock(error, saved, failure)
  }
  if (failure !== null) throw failure
}

function refuseUnwritableLock(folder: string): void {
  try {
    checkLockIsWritable(folder)
  } catch (error) {
    throw error instanceof CliError
      ? new CliError(error.exitCode, `${error.message} Nothing was pushed.`)
      : error
  }
}

// The lock could be written before the first save, and not after the last, for example because the disk is full.
function describeLostLock(error: unknown, saved: readonly string[], failure: unknown): unknown {
  if (!(error instanceof CliError)) return error
  if (failure instanceof CliError)
    return new CliError(failure.exitCode, `${failure.message} ${error.message}`)
  if (failure !== null) return failure
  if (saved.length === 0) return error
  return new CliError(
    error.exitCode,
    `${error.message} Pushed: ${listKeys(saved)}. When the file can be written, run the same \`rostrum push\` ` +
      'again before you change these functions: it saves nothing twice, and writes the file.',
  )
}

// After an error of the connection, nobody knows whether the first of the others was saved. To push again is safe.
function describeFailure(error: unknown, saved: readonly string[], others: readonly string[]): unknown {
  const pushed = `Pushed: ${listKeys(saved)}.`
  if (isConflict(error)) {
    const describe = error.facts.liveVersion === null ? removedMeanwhile : conflict
    const refused = others.slice(0, 1)
    return saved.length === 0
      ? describe(refused)
      : describe(refused, `${pushed} Not pushed: ${listKeys(others)}.`)
  }
  if (saved.length === 0 || !(error instanceof CliError)) return error
  const again = `${pushed} Run \`rostrum push\` again for ${listKeys(others)}.`
  return new CliError(error.exitCode, `${error.message} ${again}`)
}

// Functions that a message names. Each one that was pushed has a line of its own too.
const maxNamed = 10

function listKeys(keys: readonly string[]): string {
  const named = keys.slice(0, maxNamed).join(', ')
  return keys.length > maxNamed ? `${named} and ${keys.length - maxNamed} more` : named
}

const isConflict = (error: unknown): error is GatewayRefusal =>
  error instanceof GatewayRefusal && error.code === 'PRECONDITION_FAILED'

// Returns false if the same source has become live since the functions were listed, for example by another push.
async function save(
  { ask }: GatewayClient,
  { file, replaces }: Push,
  comment: string | null,
): Promise<boolean> {
  const { key, source, hash } = file
  const ifLive = replaces === null ? [] : [replaces]
  try {
    await ask(mutation, { input: { ...splitKey(key), sourceCode: source, comment, ifLive } })
    return true
  } catch (error) {
    if (isConflict(error) && error.facts.liveVersion === hash) return false
    throw error
  }
}
