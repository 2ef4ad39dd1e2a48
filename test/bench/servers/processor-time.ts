import { existsSync, readFileSync } from 'node:fs'
import { findDescendants } from '../../server/processes/child-processes.ts'

// What Linux has for all: the unit of the times in `/proc/PID/stat`.
const microsecondsPerTick = 10_000

/** Only Linux tells the processor time of other processes in a file. */
export const canReadProcesses = existsSync('/proc/self/stat')

/**
 * Processor time of a server so far, in microseconds: of its process, of all processes under it, and of those of them
 * that have ended and been waited for. Null where the kernel does not tell.
 */
export function processorTimeOf(pid: number): number | null {
  if (!canReadProcesses) return null
  const ticks = [pid, ...findDescendants(pid)].map(ticksOf)
  return ticks.reduce((sum, each) => sum + each, 0) * microsecondsPerTick
}

// utime, stime, cutime, cstime: fields 14 to 17 of proc_pid_stat(5).
function ticksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  } catch {
    return 0
  }
}
