import { RostrumError } from '../../errors.ts'
import type { Origin } from '../port.ts'
import type { QueuedTriggerRef } from '../scripts/trigger-kinds.ts'
import type { QueuedRun, QueueStore } from './queue-store.ts'

/** Maximum number of dead runs that one call retries. */
export const maxRetriedAtOnce = 1_000

/** What callers may do with queued runs (contract, section 8). */
export interface QueuedRuns {
  list: QueueStore['list']
  count: QueueStore['count']
  /** Returns the run, which waits and is due now. `NOT_FOUND`; `CONFLICT` while it runs; `OVERLOADED`. */
  retry(origin: Origin, id: number): Promise<QueuedRun>
  /**
   * Retries the oldest dead runs, of one trigger if given, and returns their number. It stops at the maximum of
   * waiting runs. `BAD_USER_INPUT` for a bad number, and for two triggers.
   */
  retryDead(origin: Origin, of: readonly QueuedTriggerRef[], first: number): Promise<number>
  /** Returns the run as it was. `NOT_FOUND`; `CONFLICT` while it runs. */
  cancel(origin: Origin, id: number): Promise<QueuedRun>
}

export function createQueuedRuns(store: QueueStore): QueuedRuns {
  return {
    list: store.list,
    count: store.count,
    retry: store.retry,
    cancel: store.cancel,
    async retryDead(origin, triggers, first) {
      const [of = null] = triggers
      if (triggers.length > 1) {
        const names = triggers.map(({ trigger }) => `\`${trigger}Id\``).join(' or ')
        throw new RostrumError('BAD_USER_INPUT', `Give ${names}, not both.`)
      }
      if (!(first >= 1 && first <= maxRetriedAtOnce)) {
        throw new RostrumError(
          'BAD_USER_INPUT',
          `\`first\` must be from 1 to ${maxRetriedAtOnce}; it is \`${first}\`.`,
        )
      }
      return store.retryDead(origin, { of, limit: first })
    },
  }
}
