import { readFileSync } from 'node:fs'

// The kernel's unit of time for processes, on every Linux.
const msOfTick = 10

/** Resident memory of a process in bytes; null where the system has no /proc, or the process is gone. */
export function residentBytesOf(pid: number | undefined): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null
  }
}

/** Processor time of a process so far, in ms; 0 where the system has no /proc, or the process is gone. */
export function processorMsOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before may hold anything, a parenthesis too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * msOfTick
  } catch {
    return 0
  }
}
