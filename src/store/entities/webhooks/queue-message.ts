import type { QueueMessage, QueueMessageResult } from '../../../domain/webhooks/webhook-store.ts'
import type { Database } from '../../database.ts'
import { Refusal, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { shareInputs } from '../queue/queued-inputs.ts'

/** Queues the run of a message, and stores the message with its answer, in one transaction. */
export function createQueueMessage(
  { change }: Database,
  { enqueue, keys }: Pick<Parts, 'enqueue' | 'keys'>,
): (given: QueueMessage) => Promise<QueueMessageResult> {
  function* queue({ origin, message, run, writeAnswer }: QueueMessage): Work<QueueMessageResult | Refusal> {
    // Nobody else sees the claim: the same transaction settles it.
    const claimed = message && (yield* keys.claim(message))
    if (claimed?.kind === 'answered') return { kind: 'replayed', answer: claimed.answer.toString() }
    if (claimed?.kind === 'full') return { kind: 'full' }
    if (claimed !== null && claimed.kind !== 'claimed') return { kind: 'held' }
    const queued = yield* enqueue(origin.accountCode, shareInputs([run]))
    if (queued instanceof Refusal) {
      // SQLite undoes nothing, and the sender may try again.
      if (message !== null) yield* keys.release(message, 'undone')
      return queued
    }
    const [id = 0] = queued
    const answer = writeAnswer(id)
    if (message !== null) yield* keys.storeAnswer(message, Buffer.from(answer), null)
    return { kind: 'queued', answer }
  }

  const isQueued = ({ kind }: QueueMessageResult) => kind === 'queued'
  return given => change(given.origin, () => queue(given), { hasChanged: isQueued, hasQueued: isQueued })
}
