import { readFileSync, writeFileSync } from 'node:fs'
import { findDescendants } from '../server/child-processes.ts'

const lookEveryMs = 20

/**
 * Watches the gateway and all processes under it; the function it gives ends that and tells the most bytes that any one
 * of them held. The kernel keeps each one's peak, so that only what a dying process grew in its last moment is missed.
 */
export function watchPeakMemory(gatewayPid: number): () => number {
  let peak = 0
  const look = () => {
    for (const pid of [gatewayPid, ...findDescendants(gatewayPid)]) peak = Math.max(peak, peakBytesOf(pid))
  }
  const timer = setInterval(look, lookEveryMs)
  return () => {
    clearInterval(timer)
    look()
    return peak
  }
}

/** Resets the kernel's peak memory of a process, if permitted. */
export function forgetPeakMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // The peak is the process's whole life's then: too strict, and never too lax.
  }
}

/** The most bytes that one process has held, as the kernel counts them; 0 where it is gone. */
export function peakBytesOf(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}
