import { notFound, overloaded, RostrumError } from '../../errors.ts'

/** An account has at most this many waiting runs (contract, section 8). */
export const maxWaiting = 10_000

/** What the queue of an account holds: runs that wait, and the bytes of the inputs of those that wait or run. */
export interface Waiting {
  readonly waiting: number
  readonly waitingBytes: number
}

/** Returns the error for a change that would queue too much; null if the account can queue this much more. */
export function tooMuchQueued(now: Waiting, more: Waiting, maxBytes: number): RostrumError | null {
  if (now.waiting + more.waiting > maxWaiting) return tooManyWait()
  if (now.waitingBytes + more.waitingBytes <= maxBytes) return null
  return cannotQueue(
    `The inputs of this account's waiting queued runs take ${now.waitingBytes} bytes. With ${more.waitingBytes} more ` +
      `they would exceed the maximum of ${maxBytes}, the setting ROSTRUM_QUEUE_BYTES.`,
  )
}

export function tooManyWait(): RostrumError {
  return cannotQueue(`${maxWaiting} queued runs of this account are waiting, the maximum.`)
}

function cannotQueue(why: string): RostrumError {
  return overloaded(`${why} Nothing was changed`, 5)
}

export function noQueuedRun(id: number): RostrumError {
  return notFound('queued run', id)
}

/** Returns the error for a run that cannot be retried or cancelled, because it runs. */
export function stillRunning(id: number, operation: 'Retry' | 'Cancel'): RostrumError {
  const message = `Queued run \`${id}\` is running. ${operation} it when it waits or is dead.`
  return new RostrumError('CONFLICT', message, { reason: 'RUNNING' })
}
