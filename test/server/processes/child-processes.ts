import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The living processes that a process started, and theirs, from the kernel's own records. */
export function findDescendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), readParent(name))
  }
  const found: number[] = []
  for (let next: number[] = [pid]; next.length > 0; ) {
    next = [...parents].filter(([, parent]) => next.includes(parent)).map(([child]) => child)
    found.push(...next)
  }
  return found
}

// A process that ends between two reads has no parent any more.
function readParent(pid: string): number {
  return Number(readStat(Number(pid))?.[1] ?? -1)
}

// The words of `/proc/PID/stat` from the third, the state. The second, a name, may have spaces. Null once it has ended.
function readStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

// A zombie has ended; it only waits to be read by a parent that may not care.
function isAlive(pid: number): boolean {
  return !['Z', 'X', undefined].includes(readStat(pid)?.[0])
}

// PF_EXITING of Linux.
const exiting = 4

/** True for a process that was killed or has ended. The kernel takes up to 0.3 s to free the memory of a large one. */
export function isEnding(pid: number): boolean {
  const stat = readStat(pid)
  return stat === null || (Number(stat[6]) & exiting) !== 0
}

/** Sends a signal to each of the processes that is still there. One that was found may have ended since. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Those of the processes that are still alive once the time is over; empty as soon as all have ended. */
export async function findSurvivors(pids: readonly number[], withinMs = 60_000): Promise<number[]> {
  for (let waited = 0; waited < withinMs; waited += 20) {
    if (!pids.some(isAlive)) return []
    await sleep(20)
  }
  return pids.filter(isAlive)
}
