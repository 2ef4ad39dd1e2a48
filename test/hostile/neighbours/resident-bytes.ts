import { readFileSync } from 'node:fs'

/** What a process holds in memory now, as the kernel counts it. */
export function residentBytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes ?? 0) * 1024
}
