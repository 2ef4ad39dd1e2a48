import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'

/** A process that was started. */
export type Child = ChildProcess

export interface ChildCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdio: StdioOptions
}

/**
 * Starts a process in its own process group, which can be killed as a whole and gets no Ctrl-C from a terminal. Returns
 * null if the process did not start, and then calls `onFailure` in a later turn. Node throws some errors at once, such
 * as ENOMEM, and emits others, such as EMFILE, on a child without pipes.
 */
export function startChild(
  { file, args, env, stdio }: ChildCommand,
  onFailure: (error: Error) => void,
): Child | null {
  try {
    const child = spawn(file, args, { env, stdio, detached: true })
    child.on('error', onFailure)
    return child.pid === undefined ? null : child
  } catch (error) {
    process.nextTick(onFailure, error)
    return null
  }
}
