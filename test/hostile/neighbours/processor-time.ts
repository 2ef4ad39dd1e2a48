import { readFileSync } from 'node:fs'

// What Linux has for all: the unit of the times in `/proc`.
const ticksPerSecond = 100

/** The processor time that a process has taken so far, in milliseconds; 0 once it is gone. */
export function processorMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    return 0
  }
}

/**
 * Milliseconds that the main thread of a process has computed so far: what its event loop did, whatever else the
 * machine did.
 */
export function mainThreadMsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}
