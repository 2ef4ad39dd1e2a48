import type { ParseArgsOptionDescriptor } from 'node:util'
import type { Environment } from '../../config.ts'
import type { Terminal } from './terminal.ts'

/** A command of `rostrum`. Its module is loaded when it is called or asked for help. */
export interface Command {
  /** Arguments and options, as they follow the name of the command. */
  readonly usage: string
  /** What `--help` says below the usage: what it does, and a line for each option. */
  readonly help: string
  readonly options: Readonly<Record<string, ParseArgsOptionDescriptor>>
  /** Minimum and maximum number of arguments. */
  readonly args: readonly [min: number, max: number]
  /** Returns the exit code. */
  run(call: CommandCall): Promise<number>
}

export type CleanUp = () => Promise<void> | void

/** One call of a command. */
export interface CommandCall {
  readonly args: readonly string[]
  /** The value of an option, or undefined. */
  text(option: string): string | undefined
  /** True if an option without a value was given. */
  isSet(option: string): boolean
  /** Returns the absolute path of a file that was named on the command line. */
  resolve(path: string): string
  readonly environment: Environment
  readonly terminal: Terminal
  /** Aborted by Ctrl-C, when the output cannot be written, and as `endWithReader` says. */
  readonly signal: AbortSignal
  /**
   * Ends the command when the reader of the output goes away, for one that goes on until Ctrl-C. Any other finishes its
   * work, and its exit code says how it ended.
   */
  endWithReader(): void
  /**
   * Cleans up before the process ends, however it ends. What was added last comes first. The returned function does it
   * earlier.
   */
  atEnd(cleanUp: CleanUp): () => Promise<void>
}
