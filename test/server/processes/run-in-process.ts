import { runCopyCommand } from '../../../src/commands/copy.ts'
import { runTokenCommand } from '../../../src/commands/token.ts'
import type { CommandOutput } from './spawn-command.ts'

const commands = { copy: runCopyCommand, token: runTokenCommand }

/**
 * The output of a command that runs in this process, one at a time: to start a process for it takes a hundred times the
 * processor time. Where the process itself is part of the claim, use `runCommand`.
 */
export async function runInProcess(
  name: keyof typeof commands,
  args: string[],
  settings: Readonly<Record<string, string | undefined>>,
): Promise<CommandOutput> {
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  try {
    const code = await commands[name](args, settings)
    return { code, stdout: stdout.written(), stderr: stderr.written() }
  } finally {
    stdout.restore()
    stderr.restore()
  }
}

function capture(stream: NodeJS.WriteStream) {
  const { write } = stream
  let written = ''
  stream.write = (chunk: string | Uint8Array) => {
    written += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }
  return {
    written: () => written,
    restore: () => {
      stream.write = write
    },
  }
}
