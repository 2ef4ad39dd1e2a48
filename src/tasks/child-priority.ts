import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

const usualNiceness = 10
const longRunNiceness = 19

/** Lets a child wait for the gateway, and die before it when memory is short. Where neither works, nothing depends on it. */
export function yieldToGateway(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, usualNiceness)
    setSessionNiceness(pid, usualNiceness)
    writeFileSync(`/proc/${pid}/oom_score_adj`, '900')
  } catch {
    // Not permitted here, or not this system's way.
  }
}

/** Puts a child behind all others that want the processor; false where that does not work, or not now. */
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
