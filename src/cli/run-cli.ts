import { resolve } from 'node:path'
import type { Environment } from '../config.ts'
import { showControls } from '../show-controls.ts'
import { sameSignalMs } from '../signals/same-signal.ts'
import { readVersion } from '../version.ts'
import { commands } from './commands.ts'
import { CliError, type ExitCode, exitCodes, wrongUse } from './frame/cli-error.ts'
import type { CleanUp, CommandCall } from './frame/command.ts'
import { parseCall } from './frame/parse-call.ts'
import { suggestNearest } from './frame/suggest-nearest.ts'
import { createTerminal, type Terminal } from './frame/terminal.ts'

const nameWidth = Math.max(...Object.keys(commands).map(name => name.length))

const usage = `Usage: rostrum <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(nameWidth)}  ${summary}`)
  .join('\n')}

  --help     prints this; after a command, what the command takes
  --version  prints the version

The gateway is \`--url\`, else ROSTRUM_URL, else the one of \`rostrum login\`, else http://127.0.0.1:4000. The token is
ROSTRUM_TOKEN, else the one that \`rostrum login\` kept for this URL.
`

/** Runs the command line. Returns the exit code (contract, section 11). */
export async function runCli(argv: readonly string[], environment: Environment): Promise<number> {
  const terminal = createTerminal(environment)
  const ending = new AbortController()
  const cleanUps = new Set<CleanUp>()
  const end = (exitCode: ExitCode, message = '') => ending.abort(new CliError(exitCode, message))
  onInterrupt(() => end(exitCodes.interrupted))
  const readerGone = Promise.withResolvers<void>()
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      // A reader such as `head` has read enough. Another error, such as a full disk, loses the result.
      if (code === 'EPIPE') readerGone.resolve()
      else end(exitCodes.fault, `Cannot write the output: ${message}.`)
    })
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason))
  })
  ended.catch(() => {})
  try {
    const work = dispatch(argv, {
      environment,
      terminal,
      signal: ending.signal,
      endWithReader: () => void readerGone.promise.then(() => end(exitCodes.done)),
      atEnd(cleanUp) {
        cleanUps.add(cleanUp)
        return async () => {
          if (cleanUps.delete(cleanUp)) await cleanUp()
        }
      },
    })
    const exitCode = await Promise.race([work, ended])
    await Promise.race([flush(), ended])
    ending.signal.throwIfAborted()
    return exitCode
  } catch (error) {
    return report(ending.signal.aborted ? ending.signal.reason : error, terminal)
  } finally {
    for (const cleanUp of [...cleanUps].reverse()) await cleanUp()
  }
}

/**
 * Calls `end` on a signal, also when the terminal is closed. A second one of any kind, at least half a second later,
 * ends the process at once.
 */
export function onInterrupt(end: () => void): void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const forget = () => {
    for (const signal of signals) process.off(signal, note)
  }
  const note = () => {
    end()
    setTimeout(forget, sameSignalMs).unref()
  }
  for (const signal of signals) process.on(signal, note)
}

// Resolves when a slow reader of a pipe has what was written, or a turn after a write failed.
async function flush(): Promise<void> {
  const streams = [process.stdout, process.stderr]
  await Promise.all(streams.map(stream => new Promise<void>(resolve => stream.write('', () => resolve()))))
  await new Promise(resolve => setImmediate(resolve))
}

type CallParts = Pick<CommandCall, 'environment' | 'terminal' | 'signal' | 'endWithReader' | 'atEnd'>

async function dispatch([name, ...rest]: readonly string[], parts: CallParts): Promise<number> {
  const { terminal, environment } = parts
  if (name === '--help' || name === '-h') return print(terminal, usage)
  if (name === '--version') return print(terminal, `${readVersion()}\n`)
  if (name === undefined) {
    terminal.say(usage.trimEnd())
    return exitCodes.usage
  }
  const listed = commands[name]
  if (listed === undefined || !Object.hasOwn(commands, name)) throw wrongUse(unknownCommand(name))
  const { command } = await listed.load()
  const { args, values } = parseCall(name, command, rest)
  if (values.help === true)
    return print(terminal, `Usage: rostrum ${name} ${command.usage}\n\n${command.help}`)
  // npm runs its scripts in the folder of the package, and says where it was called.
  const folder = environment.INIT_CWD || process.cwd()
  return command.run({
    ...parts,
    args,
    text: option => values[option] as string | undefined,
    isSet: option => values[option] === true,
    resolve(path) {
      // An empty path would be the folder itself. It comes from a variable that is not set.
      if (path === '') throw wrongUse('The name of a file or folder is empty. Name one.')
      return resolve(folder, path)
    },
  })
}

function print(terminal: Terminal, text: string): number {
  terminal.write(text)
  return exitCodes.done
}

function unknownCommand(name: string): string {
  if (name.startsWith('-')) {
    const hint = suggestNearest(name, ['--help', '--version'])
    return `\`rostrum\` has no option \`${name}\`.${hint} See \`rostrum --help\`.`
  }
  return `There is no command \`${name}\`.${suggestNearest(name, Object.keys(commands))} See \`rostrum --help\`.`
}

function report(error: unknown, terminal: Terminal): number {
  if (error instanceof CliError) {
    if (error.message !== '') terminal.say(terminal.style('red', showControls(error.message), 'stderr'))
    return error.exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  terminal.say(
    `A fault of the command line, please report it: ${showControls(message.split('\n', 1)[0] ?? '')}`,
  )
  return exitCodes.fault
}
