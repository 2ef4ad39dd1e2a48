import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

// Niceness of sandboxes. It is always higher than the gateway's, so that the gateway gets the processor first and can
// read every message.
const niceness = { normal: 5, longRun: 19 } as const

/** Lowers the priority of a child below the gateway's, and makes the kernel kill it first when memory runs out. */
export function prepareChild(pid: number | undefined): void {
  setPriorityOf(pid, 'normal')
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
  } catch {
    // This system does not support it. Nothing depends on it.
  }
}

/** Sets the priority of a child. Returns false if the system does not permit it. */
export function setPriorityOf(pid: number | undefined, rank: keyof typeof niceness): boolean {
  return setNiceness(pid, niceness[rank])
}

// Sets the niceness of each thread, because on Linux threads have their own.
function setNiceness(pid: number | undefined, niceness: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness)
    setSessionNiceness(Number(pid), niceness)
    return true
  } catch {
    return false
  }
}

// Sets the niceness of the child's session. With session autogroups only that counts: otherwise eight busy sandboxes
// would each get as much processor time as the gateway. Without privileges the kernel refuses frequent changes, and
// this throws.
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
