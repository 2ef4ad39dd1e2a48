import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readId } from '../../domain/id.ts'
import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { chooseGateway, describeUrl, urlOption } from '../gateway/choose-gateway.ts'
import { createGatewayClient, type GatewayClient, sayOnce } from '../gateway/gateway-client.ts'
import { watchFiles } from '../run/watch-files.ts'
import { type CompileFiles, createFileCompiler } from './compile-files.ts'
import { findOtherScripts, readFunctionFiles } from './function-files.ts'
import { findLiveFunctions, readLiveSources } from './live-functions.ts'
import { checkLock, readLock } from './lock-file.ts'
import { type Push, planPush } from './plan-push.ts'
import { refuseSameFile } from './same-file.ts'
import { savePushes } from './save-pushes.ts'
import { showDiff } from './show-diff.ts'
import { tryCase } from './try-case.ts'

export const command: Command = {
  usage:
    '[function…] [--dir <folder>] [--dry-run] [--yes] [--comment <text>] [--watch] [--try <case id>]' +
    ' [--url <url>]',
  help: `Saves the files of functions that differ from their live versions, as new live versions. Prints the
differences and asks once. Functions are named as \`incident/priority\`; all without a name. If a live version changed
since the last \`rostrum pull\`, nothing is pushed, and the exit code is 3.

  --dir <folder>    the folder with \`functions\`; the current one without
  --dry-run         prints the differences and ends
  --yes             does not ask; needed where nobody can answer
  --comment <text>  is kept with the versions
  --watch           pushes on every change of a file, until Ctrl-C
  --try <case id>   after each push, saves this case dry and prints the runs of its hooks
${describeUrl(16)}
`,
  options: {
    dir: { type: 'string' },
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
    comment: { type: 'string' },
    watch: { type: 'boolean' },
    try: { type: 'string' },
    ...urlOption,
  },
  args: [0, 1_000],
  async run(call) {
    checkCaseId(call.text('try'))
    const gateway = chooseGateway(call)
    const waiting = { say: sayOnce(call.terminal), signal: call.signal }
    const parts = {
      folder: call.resolve(call.text('dir') ?? '.'),
      client: createGatewayClient(gateway, call.signal, waiting),
      savingClient: createGatewayClient(gateway, abortLater(call.signal), waiting),
      compile: createFileCompiler(call),
      trial: { isDue: false },
    }
    if (!call.isSet('watch')) return pushOnce(call, parts)
    if (call.isSet('dry-run')) throw wrongUse('Give `--watch` or `--dry-run`, not both.')
    if (!call.isSet('yes')) await confirm(call, `Push every change to ${parts.client.url} without asking?`)
    const watching = { ...call, isSet: (option: string) => option === 'yes' || call.isSet(option) }
    const folders = [join(parts.folder, 'functions')]
    if (!existsSync(folders[0] ?? '')) throw noFiles(parts.folder)
    await watchFiles(
      () => ({ folders }),
      call,
      () => pushOnce(watching, parts),
      { retries: true },
    )
    return exitCodes.done
  },
}

// The gateway would refuse another id only after the push.
function checkCaseId(id: string | undefined): void {
  if (id === undefined || readId(id) !== null) return
  throw wrongUse(`\`--try\` must be the id of a case, such as 41; it is \`${id}\`.`)
}

// How long the save that was sent before Ctrl-C may take.
const maxLastSaveMs = 10_000

interface PushParts {
  readonly folder: string
  readonly client: GatewayClient
  /** Ends a request some seconds after Ctrl-C. */
  readonly savingClient: GatewayClient
  readonly compile: CompileFiles
  /** True from a push until its case was tried, so that `--watch` tries again what found no gateway. */
  readonly trial: { isDue: boolean }
}

/** Returns a signal that is aborted some seconds after this one, so that a save that was sent is answered. */
function abortLater(signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  signal.addEventListener('abort', () => {
    setTimeout(() => later.abort(signal.reason), maxLastSaveMs).unref()
  })
  return later.signal
}

async function pushOnce(call: CommandCall, parts: PushParts): Promise<number> {
  const { folder, client, savingClient, compile, trial } = parts
  const { terminal } = call
  const lock = readLock(folder)
  const files = readFunctionFiles(folder)
  const others = call.args.length > 0 ? [] : findOtherScripts(folder)
  for (const path of others) terminal.say(`${path} is not pushed: the file of a function ends in \`.js\`.`)
  if (files.size === 0 && lock === null) throw noFiles(folder)
  const { account, hashes: live } = await findLiveFunctions(client)
  const target = { url: client.url, account }
  checkLock(lock, target)
  const locked = lock?.functions ?? {}
  const { pushes, remarks } = planPush({ files, locked, live, named: call.args })
  for (const remark of remarks) terminal.say(remark)
  const pushed = new Set(pushes.map(({ file }) => file.key.toLowerCase()))
  const all = [...live.keys(), ...pushes.map(({ file }) => file.key)]
  refuseSameFile(
    folder,
    all.filter(key => pushed.has(key.toLowerCase())),
  )
  await compile(pushes.map(({ file }) => file))
  await showDiffs(call, client, { live, pushes })
  if (pushes.length === 0) terminal.say(describeNothing(call.args, [...others, ...remarks]))
  if (call.isSet('dry-run')) return exitCodes.done
  if (pushes.length > 0 && !call.isSet('yes')) {
    const count = pushes.length === 1 ? 'this function' : `these ${pushes.length} functions`
    await confirm(call, `Push ${count} to ${client.url}, account ${account}?`)
  }
  // What is equal to its live version is as if it had been pulled. Another push may lock a newer one meanwhile.
  const equal = [...files.values()].filter(({ key, hash }) => live.get(key) === hash && locked[key] !== hash)
  const functions = Object.fromEntries(equal.map(({ key, hash }) => [key, hash]))
  const known = { ...target, functions }
  trial.isDue ||= pushes.length > 0
  await savePushes(call, savingClient, { pushes, folder, known })
  const tried = call.text('try')
  if (tried !== undefined && trial.isDue) await tryCase(client, tried, terminal)
  trial.isDue = false
  return exitCodes.done
}

// A remark or a name means that other files may differ.
function describeNothing(named: readonly string[], remarks: readonly string[]): string {
  const isOfAll = named.length + remarks.length === 0
  return isOfAll ? 'Every file is as its live version.' : 'There is nothing to push.'
}

function noFiles(folder: string): CliError {
  return wrongUse(
    `There is no file in ${join(folder, 'functions')}. Run \`rostrum pull\`, or name the folder by \`--dir\`.`,
  )
}

async function showDiffs(
  { terminal, signal }: CommandCall,
  client: GatewayClient,
  { live, pushes }: { readonly live: ReadonlyMap<string, string>; readonly pushes: readonly Push[] },
): Promise<void> {
  const replaced = pushes.filter(({ replaces }) => replaces !== null).map(({ file }) => file.key)
  const sources = await readLiveSources(client, live, replaced)
  for (const push of pushes) {
    showDiff(push, sources.get(push.file.key) ?? '', terminal)
    // Ctrl-C is seen between two turns of the event loop.
    await nextTurn(undefined, { signal })
  }
}

async function confirm({ terminal }: CommandCall, question: string): Promise<void> {
  const answer = await terminal.ask(
    `${question} [y/N] `,
    'Nothing was pushed: add `--yes` to push without a question.',
  )
  if (!/^y(es)?$/i.test(answer)) throw new CliError(exitCodes.usage, 'Nothing was pushed.')
}
