import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { CliError } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { showControls } from '../frame/terminal.ts'

// Editors write a file in several steps.
const settleMs = 60

/**
 * Works now, and again whenever one of these files, or a file below these folders, is saved, until the call ends. One
 * piece of work at a time.
 */
export async function watchFiles(
  files: readonly string[],
  { terminal, signal, atEnd }: Pick<CommandCall, 'terminal' | 'signal' | 'atEnd'>,
  work: () => Promise<unknown>,
  folders: readonly string[] = [],
): Promise<void> {
  let change = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const noteChange = () => {
    clearTimeout(timer)
    timer = setTimeout(() => change.resolve(), settleMs)
  }
  for (const folder of folders) {
    const watcher = watch(folder, { recursive: true }, noteChange)
    atEnd(() => watcher.close())
  }
  // Watches the folders, because an editor may replace a file by a new one.
  for (const folder of new Set(files.map(file => dirname(file)))) {
    const names = files.filter(file => dirname(file) === folder).map(file => basename(file))
    const watcher = watch(folder, (_event, name) => {
      if (name === null || names.includes(name)) noteChange()
    })
    atEnd(() => watcher.close())
  }
  while (!signal.aborted) {
    change = Promise.withResolvers<void>()
    try {
      await work()
    } catch (error) {
      if (!(error instanceof CliError) || signal.aborted) throw error
      terminal.say(terminal.style('red', showControls(error.message), 'stderr'))
    }
    terminal.say(terminal.style('gray', 'Waiting for a change; Ctrl-C ends.', 'stderr'))
    await change.promise
  }
}
