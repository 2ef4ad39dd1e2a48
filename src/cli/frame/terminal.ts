import { createInterface } from 'node:readline/promises'
import { type InspectColor, styleText } from 'node:util'
import { CliError, exitCodes, wrongUse } from './cli-error.ts'

/** Where a command writes, and whom it asks. */
export interface Terminal {
  /** True if a person reads the result. */
  readonly hasReader: boolean
  /** Writes a part of the result to stdout. */
  write(text: string): void
  /** Writes a line to stderr: a log entry, progress, or what went wrong. */
  say(line: string): void
  /** Colours a text for stdout or stderr, where that is a terminal and `NO_COLOR` is not set. */
  style(format: InspectColor, text: string, stream?: 'stdout' | 'stderr'): string
  /** Asks a question. In a pipe nothing is asked: it throws an error that names the option to give instead. */
  ask(question: string, instead: string): Promise<string>
}

/** The terminal of this process. */
export function createTerminal(environment: { readonly NO_COLOR?: string | undefined }): Terminal {
  return {
    hasReader: process.stdout.isTTY === true,
    write: text => void process.stdout.write(text),
    say: line => void process.stderr.write(`${line}\n`),
    style(format, text, name = 'stdout') {
      const stream = name === 'stderr' ? process.stderr : process.stdout
      // Whatever FORCE_COLOR says, which build servers set and Node heeds: a pipe never gets an escape sequence, and a
      // terminal none with NO_COLOR.
      const isPlain = !stream.isTTY || Boolean(environment.NO_COLOR)
      return isPlain ? text : styleText(format, text, { stream })
    },
    async ask(question, instead) {
      if (!process.stdin.isTTY || !process.stderr.isTTY) throw wrongUse(instead)
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return (await lines.question(question)).trim()
      } catch (error) {
        if ((error as Error).name !== 'AbortError') throw error
        // Ctrl-C and Ctrl-D. What the shell writes next begins on a line of its own.
        process.stderr.write('\n')
        throw new CliError(exitCodes.interrupted, '')
      } finally {
        lines.close()
      }
    },
  }
}
