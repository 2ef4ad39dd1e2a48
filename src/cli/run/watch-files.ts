import { type FSWatcher, type WatchEventType, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { showControls } from '../../show-controls.ts'
import { fileError } from '../files/file-error.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'

// Editors write a file in several steps.
const settleMs = 60

// Wait before work is tried again that found no gateway. It doubles with each failure.
const firstRetryMs = 1_000
const maxRetryMs = 30_000

/** What to watch: files, and folders with all that is below them. */
export interface Watched {
  readonly files?: readonly string[]
  readonly folders?: readonly string[]
}

interface WatchOptions {
  /** True for work that may be repeated: it is tried again when the gateway cannot be reached. */
  readonly retries?: boolean
}

/**
 * Works now, and again whenever one of these files, or a file below these folders, is saved or replaced, until the call
 * ends. One piece of work at a time. Asks before each piece what to watch.
 */
export async function watchFiles(
  find: () => Watched,
  {
    terminal,
    signal,
    atEnd,
    endWithReader,
  }: Pick<CommandCall, 'terminal' | 'signal' | 'atEnd' | 'endWithReader'>,
  work: () => Promise<unknown>,
  { retries = false }: WatchOptions = {},
): Promise<void> {
  endWithReader()
  let change = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  let watchers: readonly FSWatcher[] = []
  const noteChange = () => {
    clearTimeout(timer)
    timer = setTimeout(() => change.resolve(), settleMs)
  }
  const closeWatchers = () => {
    for (const watcher of watchers) watcher.close()
  }
  atEnd(closeWatchers)
  let retryMs = firstRetryMs
  while (!signal.aborted) {
    let canRetry = false
    change = Promise.withResolvers<void>()
    // Watches again, because a folder may be another one by now. The work sees what changed before.
    closeWatchers()
    watchers = startWatchers(find(), noteChange)
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

function startWatchers({ files = [], folders = [] }: Watched, noteChange: () => void): readonly FSWatcher[] {
  const watchers = folders.map(folder => startWatcher(folder, noteChange, true))
  // Watches the folders of the files, because an editor may replace a file by a new one.
  const names = Map.groupBy(files, file => dirname(file))
  for (const [folder, inside] of names) {
    const found = new Set(inside.map(file => basename(file)))
    watchers.push(
      startWatcher(folder, (_event, name) => {
        if (name === null || found.has(name)) noteChange()
      }),
    )
  }
  // Watches the folders above, because a folder may be replaced by a new one.
  const above = new Map<string, Set<string>>()
  for (const folder of [...folders, ...names.keys()])
    for (let path = folder; dirname(path) !== path; path = dirname(path))
      above.set(dirname(path), (above.get(dirname(path)) ?? new Set()).add(basename(path)))
  for (const [folder, children] of above)
    watchers.push(
      startWatcher(folder, (event, name) => {
        if (event === 'rename' && name !== null && children.has(name)) noteChange()
      }),
    )
  return watchers.filter(watcher => watcher !== null)
}

type Listener = (event: WatchEventType, name: string | null) => void

// Returns null for a folder that is not there now, or may not be read: the folder above it is watched too.
function startWatcher(folder: string, listener: Listener, recursive = false): FSWatcher | null {
  try {
    // A folder that is deleted is an error of its watcher.
    return watch(folder, { recursive }, listener).on('error', () => {})
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) return null
    throw fileError('read', folder, error)
  }
}

const mayRetry = ({ exitCode }: CliError, retries: boolean) => retries && exitCode === exitCodes.unavailable

async function waitFor(change: PromiseWithResolvers<void>, atMostMs: number | null): Promise<void> {
  const timer = atMostMs === null ? undefined : setTimeout(() => change.resolve(), atMostMs)
  await change.promise
  clearTimeout(timer)
}
