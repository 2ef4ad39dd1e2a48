import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

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
    setPriority(pid, 5)
    writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
  } catch {
    // Not permitted here, or not this system's way.
  }
}
