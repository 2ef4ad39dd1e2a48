import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

// Behind the gateway, always: it must hear of everything.
const niceness = { usual: 5, longRun: 19 } as const

/** Puts a child behind the gateway, and lets it die before the gateway when memory is short. */
export function prepareChild(pid: number | undefined): void {
  setPriorityOf(pid, 'usual')
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
  } catch {
    // Not this system's way: nothing depends on it.
  }
}

/** Gives a child its place among all that want the processor; false where that is not permitted, or not now. */
export function setPriorityOf(pid: number | undefined, rank: keyof typeof niceness): boolean {
  return setNiceness(pid, niceness[rank])
}

// On Linux each thread has its own.
function setNiceness(pid: number | undefined, niceness: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), niceness)
    setSessionNiceness(Number(pid), niceness)
    return true
  } catch {
    return false
  }
}

// Where the scheduler groups by session, a group gets its share by its own niceness and not by its threads': eight sandboxes
// that compute would each get as much as the gateway. Changes come too fast for it without privileges: then it throws.
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
