import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

const usualNiceness = 5
const longRunNiceness = 19
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

/** Lets a child wait for the gateway, and die before it when memory is short. Where neither works, nothing depends on it. */
export function yieldToGateway(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, usualNiceness)
    writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
  } catch {
    // Not permitted here, or not this system's way.
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

/** Puts a child behind all others that want the processor; false where the system has no such thing. */
export function yieldToOthers(pid: number | undefined): boolean {
  return setNiceness(pid, longRunNiceness)
}

/** Takes that back; false where this needs a right that the gateway has not. */
export function yieldNoLonger(pid: number | undefined): boolean {
  return setNiceness(pid, usualNiceness)
}

// On Linux each thread has its own.
function setNiceness(pid: number | undefined, niceness: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness)
    return true
  } catch {
    return false
  }
}
