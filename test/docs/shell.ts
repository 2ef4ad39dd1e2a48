import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { endWithParent } from '../server/processes/end-with-parent.ts'

export interface ShellOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** One `sh` for a whole page, so that what a line exports is there for the next one, as in a reader's terminal. */
export interface Shell {
  run(lines: string): Promise<Ran>
  /**
   * Runs a command that does not end by itself until it has printed what `isDone` waits for, then ends it. It sees what
   * earlier lines have exported.
   */
  runUntil(line: string, isDone: (stdout: string) => boolean): Promise<string>
  end(): Promise<void>
}

const endOfBlock = '\u001e'
// Ends a command that hangs. A busy machine must not reach it.
const patienceMs = 60_000

export function startShell({ cwd, env }: ShellOptions): Shell {
  const shell = spawn('sh', [], { cwd, env, stdio: 'pipe', detached: true })
  endWithParent(shell, { isDetached: true })
  const ended = once(shell, 'close')
  let stdout = ''
  let stderr = ''
  let onOutput = () => {}
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    onOutput()
  })
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  shell.once('close', () => onOutput())

  return {
    async run(lines) {
      stdout = ''
      stderr = ''
      const { promise, resolve, reject } = Promise.withResolvers<Ran>()
      onOutput = () => {
        const end = stdout.indexOf(endOfBlock)
        if (end !== -1 && stdout.endsWith('\n')) {
          resolve({ status: Number(stdout.slice(end + 1)), stdout: stdout.slice(0, end), stderr })
        } else if (shell.exitCode !== null) {
          reject(new Error(`The shell ended with ${shell.exitCode}: ${stderr}`))
        }
      }
      // Standard input is the shell's own: a command that read it would swallow the lines to come.
      shell.stdin.write(`{ ${lines}\n} </dev/null\nprintf '\\036%s\\n' "$?"\n`)
      return promise
    },
    async runUntil(line, isDone) {
      const exported = (await this.run('env -0')).stdout.split('\0').map(text => text.split(/=([\s\S]*)/))
      const command = spawn('sh', ['-c', `exec ${line}`], {
        cwd,
        env: Object.fromEntries(exported),
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      endWithParent(command, { isDetached: true })
      const timer = setTimeout(() => command.kill(), patienceMs)
      let printed = ''
      for await (const text of command.stdout.setEncoding('utf8')) {
        printed += text
        if (isDone(printed)) break
      }
      clearTimeout(timer)
      command.kill()
      return printed
    },
    async end() {
      shell.stdin.end()
      await ended
    },
  }
}
