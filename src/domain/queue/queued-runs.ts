import { RostrumError } from '../../errors.ts'
import { checkId } from '../id.ts'
import type { Origin } from '../store.ts'
import type { QueuedRun, QueueStore } from './queue-store.ts'
import { cannotQueue } from './waiting-limits.ts'

/** What callers may do with queued runs (contract, section 8). */
export interface QueuedRuns {
  list: QueueStore['list']
  /** Gives the run, which waits again. `NOT_FOUND`; `CONFLICT` unless it is dead; `OVERLOADED`. */
  retry(origin: Origin, id: number): Promise<QueuedRun>
  /** Gives the run as it was. `NOT_FOUND`; `CONFLICT` while it runs. */
  cancel(origin: Origin, id: number): Promise<QueuedRun>
}

export function createQueuedRuns(store: QueueStore): QueuedRuns {
  return {
    list: store.list,
    async retry(origin, id) {
      checkId(id, 'queued run id')
      const result = await store.retry(origin, id)
      if (result.kind === 'retried') return result.run
      if (result.kind === 'missing') throw missing(id)
      if (result.kind === 'full') throw cannotQueue(result.refusal)
      throw new RostrumError(
        'CONFLICT',
        `Queued run \`${id}\` is not dead. Only a dead one can be retried.`,
        {
          reason: 'RUNNING',
        },
      )
    },
    async cancel(origin, id) {
      checkId(id, 'queued run id')
      const result = await store.cancel(origin, id)
      if (result.kind === 'cancelled') return result.run
      if (result.kind === 'missing') throw missing(id)
      throw new RostrumError(
        'CONFLICT',
        `Queued run \`${id}\` is running. Cancel it when it waits or is dead.`,
        { reason: 'RUNNING' },
      )
    },
  }
}

function missing(id: number): RostrumError {
  return new RostrumError('NOT_FOUND', `There is no queued run \`${id}\`.`)
}
