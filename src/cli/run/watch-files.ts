import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { showControls } from '../frame/terminal.ts'

// Editors write a file in several steps.
const settleMs = 60

// Wait before work is tried again that found no gateway. It doubles with each failure.
const firstRetryMs = 1_000
const maxRetryMs = 30_000

interface WatchOptions {
  readonly folders?: readonly string[]
  /** True for work that may be repeated: it is tried again when the gateway cannot be reached. */
  readonly retries?: boolean
}

/**
 * Works now, and again whenever one of these files, or a file below these folders, is saved, until the call ends. One
 * piece of work at a time.
 */
export async function watchFiles(
  files: readonly string[],
  {
    terminal,
    signal,
    atEnd,
    endWithReader,
  }: Pick<CommandCall, 'terminal' | 'signal' | 'atEnd' | 'endWithReader'>,
  work: () => Promise<unknown>,
  { folders = [], retries = false }: WatchOptions = {},
): Promise<void> {
  endWithReader()
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
  let retryMs = firstRetryMs
  while (!signal.aborted) {
    let canRetry = false
    change = Promise.withResolvers<void>()
    try {
      await work()
      retryMs = firstRetryMs
    } catch (error) {
      if (signal.aborted || !(error instanceof CliError)) throw error
      terminal.say(terminal.style('red', showControls(error.message), 'stderr'))
      canRetry = mayRetry(error, retries)
    }
    const next = canRetry ? `Trying again in ${retryMs / 1_000} s` : 'Waiting for a change'
    terminal.say(terminal.style('gray', `${next}; Ctrl-C ends.`, 'stderr'))
    await waitFor(change, canRetry ? retryMs : null)
    if (canRetry) retryMs = Math.min(2 * retryMs, maxRetryMs)
  }
}

const mayRetry = ({ exitCode }: CliError, retries: boolean) => retries && exitCode === exitCodes.unavailable

async function waitFor(change: PromiseWithResolvers<void>, atMostMs: number | null): Promise<void> {
  const timer = atMostMs === null ? undefined : setTimeout(() => change.resolve(), atMostMs)
  await change.promise
  clearTimeout(timer)
}
