import { readFileSync } from 'node:fs'
import { findDescendants } from '../../server/processes/child-processes.ts'
import { canReadProcesses } from './processor-time.ts'

/** Memory of a server's process and of all processes under it, summed, in MiB. */
export interface Memory {
  /** Pages that several processes share are counted once for each of them. */
  readonly residentMb: number
  /** Shared pages are divided among those that share them: what the machine gives up in all. */
  readonly proportionalMb: number
  /** Of the server's own process alone. */
  readonly ownMb: number
  readonly processes: number
}

/** Null where the kernel does not tell. */
export function memoryOf(pid: number): Memory | null {
  if (!canReadProcesses) return null
  const each = [pid, ...findDescendants(pid)].map(read).filter(memory => memory !== null)
  const sum = (pick: (memory: Reading) => number) =>
    each.reduce((total, memory) => total + pick(memory), 0) / 1024
  return {
    residentMb: sum(({ rss }) => rss),
    proportionalMb: sum(({ pss }) => pss),
    ownMb: (each[0]?.rss ?? 0) / 1024,
    processes: each.length,
  }
}

interface Reading {
  readonly rss: number
  readonly pss: number
}

// In KiB; null for a process that has just ended. A sum that leaves out one that may not be read would be a lie.
function read(pid: number): Reading | null {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0)
    return { rss: field('Rss'), pss: field('Pss') }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}
