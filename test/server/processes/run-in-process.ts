import type { EventEmitter } from 'node:events'
import { runCli } from '../../../src/cli/run-cli.ts'
import { runCopyCommand } from '../../../src/commands/copy.ts'
import { runTokenCommand } from '../../../src/commands/token.ts'
import type { CommandOutput } from './spawn-command.ts'

const commands = { cli: runCli, copy: runCopyCommand, token: runTokenCommand }

/**
 * The output of a command that runs in this process, one at a time: to start a process for it takes a hundred times the
 * processor time. Where the process itself is part of the claim, use `runCommand`.
 */
export async function runInProcess(
  name: keyof typeof commands,
  args: readonly string[],
  settings: Readonly<Record<string, string | undefined>>,
): Promise<CommandOutput> {
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  // The command line listens for these until its process ends.
  const restore = [
    keepListeners(process, ['SIGINT', 'SIGTERM', 'SIGHUP']),
    keepListeners(process.stdout, ['error']),
    keepListeners(process.stderr, ['error']),
  ]
  try {
    const code = await commands[name]([...args], settings)
    return { code, stdout: stdout.written(), stderr: stderr.written() }
  } finally {
    stdout.restore()
    stderr.restore()
    for (const each of restore) each()
  }
}

function capture(stream: NodeJS.WriteStream) {
  const { write } = stream
  let written = ''
  stream.write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    written += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const done = more.at(-1)
    if (typeof done === 'function') setImmediate(() => done())
    return true
  }
  return {
    written: () => written,
    restore: () => {
      stream.write = write
    },
  }
}

/** Returns a function that removes the listeners that were added since. */
function keepListeners(emitter: EventEmitter, events: readonly string[]): () => void {
  const before = new Map(events.map(event => [event, emitter.listeners(event)]))
  return () => {
    for (const [event, listeners] of before)
      for (const listener of emitter.listeners(event))
        if (!listeners.includes(listener)) emitter.off(event, listener as () => void)
  }
}
