import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { findDescendants } from '../../server/processes/child-processes.ts'

const pollEveryMs = 20

/**
 * Watches the gateway and all processes under it; the function it gives ends that and tells the most bytes that any one
 * of them held. The kernel keeps each one's peak, so that only what a dying process grew in its last moment is missed.
 */
export function watchPeakMemory(gatewayPid: number): () => number {
  let peak = 0
  const look = () => {
    for (const pid of findTree(gatewayPid)) peak = Math.max(peak, peakBytesOf(pid))
  }
  const timer = setInterval(look, pollEveryMs)
  return () => {
    clearInterval(timer)
    look()
    return peak
  }
}

// To read about all processes of a busy machine 50 times a second would take a processor. The kernel's list of a
// thread's children may miss one while another ends, which the next look makes good.
function findTree(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const children = threads.flatMap(thread =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return [pid, ...children.flatMap(findTree)]
  } catch {
    return [pid, ...findDescendants(pid)]
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
