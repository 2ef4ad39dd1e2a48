import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

// Always lower than the gateway's priority, so that the gateway can read every message.
const niceness = { normal: 5, longRun: 19 } as const

/** Sets a lower priority for a child than the gateway has, and makes the kernel kill it first when memory runs out. */
export function prepareChild(pid: number | undefined): void {
  setPriorityOf(pid, 'normal')
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
  } catch {
    // Not available on this system. Nothing depends on it.
  }
}

/** Sets the priority of a child. Returns false if that is not permitted. */
export function setPriorityOf(pid: number | undefined, rank: keyof typeof niceness): boolean {
  return setNiceness(pid, niceness[rank])
}

// On Linux each thread has its own niceness.
function setNiceness(pid: number | undefined, niceness: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness)
    setSessionNiceness(Number(pid), niceness)
    return true
  } catch {
    return false
  }
}

// With session autogroups the niceness of the group counts, not that of its threads: eight computing sandboxes would
// each get as much as the gateway. Without privileges, the kernel refuses frequent changes, and this throws.
function setSessionNiceness(pid: number, niceness: number): void {
  const group = readGroup(pid)
  if (group === null || group === readGroup('self')) return
  writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
}

function readGroup(pid: number | 'self'): string | null {
  try {
    return readFileSync(`/proc/${pid}/autogroup`, 'latin1').split(' ')[0] ?? null
  } catch {
    return null
  }
}
