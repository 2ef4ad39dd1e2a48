import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endWithParent } from './end-with-parent.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface Command {
  readonly process: ChildProcess
  /** Everything written so far. */
  stdout(): string
  stderr(): string
  /** Settles once the process has ended and its streams are closed; null where a signal ended it. */
  readonly ended: Promise<number | null>
}

/**
 * Starts `node src/start.mjs …`, as `npm start` and `npm run token` do, with an environment of these settings alone. A
 * module to `preload` runs in it first, and may speak over Node's IPC. It may open at most `maxFiles` files, if given.
 */
export function spawnCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  preload: string | null = null,
  maxFiles: number | null = null,
): Command {
  const first = preload === null ? [] : ['--import', preload]
  const given = [process.execPath, ...first, 'src/start.mjs', ...args]
  const limited = ['sh', '-c', `ulimit -n ${maxFiles} && exec "$0" "$@"`, ...given]
  const [program = '', ...rest] = maxFiles === null ? given : limited
  const child = spawn(program, rest, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', ...(preload === null ? [] : (['ipc'] as const))],
  })
  endWithParent(child)
  const written = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve(code))
  })
  return { process: child, stdout: () => written.stdout, stderr: () => written.stderr, ended }
}

/** What a gateway wrote to standard error, without the text of its start. */
export function withoutBanner(text: string): string {
  return text.replace(/^Rostrum serves on .*\n(?:\nThe store was empty[\s\S]*?Run a script:\n\n.*\n\n)?/, '')
}

export interface CommandOutput {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The output of an ended command. Past the time limit it is killed and the code is null. */
export async function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  limitMs = 60_000,
): Promise<CommandOutput> {
  const command = spawnCommand(args, settings)
  const timer = setTimeout(() => command.process.kill('SIGKILL'), limitMs)
  const code = await command.ended
  clearTimeout(timer)
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}
