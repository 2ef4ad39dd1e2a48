import { notFound, overloaded, RostrumError } from '../../errors.ts'

/** An account has at most this many waiting runs (contract, section 8). */
export const maxWaiting = 10_000

/** What the queue of an account holds: runs that wait, and the bytes of the inputs of those that wait or run. */
export interface Waiting {
  readonly waiting: number
  readonly waitingBytes: number
}

export type WaitingRefusal =
  | { readonly kind: 'too many runs' }
  | { readonly kind: 'too many bytes'; readonly used: number; readonly more: number; readonly max: number }

/** The reason why an account cannot queue this much more; null if it can. */
export function findWaitingRefusal(now: Waiting, more: Waiting, maxBytes: number): WaitingRefusal | null {
  if (now.waiting + more.waiting > maxWaiting) return { kind: 'too many runs' }
  if (now.waitingBytes + more.waitingBytes <= maxBytes) return null
  return { kind: 'too many bytes', used: now.waitingBytes, more: more.waitingBytes, max: maxBytes }
}

/** Returns the error for a change that would queue too much. */
export function cannotQueue(refusal: WaitingRefusal): RostrumError {
  return overloaded(`${describe(refusal)} Nothing was changed`, 5)
}

function describe(refusal: WaitingRefusal): string {
  if (refusal.kind === 'too many runs') {
    return `${maxWaiting} queued runs of this account are waiting, the maximum.`
  }
  const { used, more, max } = refusal
  return (
    `The inputs of this account's waiting queued runs take ${used} bytes. With ${more} more they would exceed the ` +
    `maximum of ${max}, the setting ROSTRUM_QUEUE_BYTES.`
  )
}

export function noQueuedRun(id: number): RostrumError {
  return notFound('queued run', id)
}

/** Returns the error for a run that cannot be retried or cancelled, because it runs. */
export function isRunning(id: number, operation: 'Retry' | 'Cancel'): RostrumError {
  const message = `Queued run \`${id}\` is running. ${operation} it when it waits or is dead.`
  return new RostrumError('CONFLICT', message, { reason: 'RUNNING' })
}
