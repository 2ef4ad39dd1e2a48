import { randomUUID } from 'node:crypto'
import type { NewQueuedRun } from '../../../src/domain/queue/queue-store.ts'

/** A run that a post-save hook queues. */
export function queuedRun(rest: Partial<NewQueuedRun> = {}): NewQueuedRun {
  return {
    trigger: 'hook',
    event: 'post-save',
    triggerId: 1,
    functionId: 1,
    name: 'notify',
    caseTypeCode: 'incident',
    caseId: 1,
    caseVersion: 1,
    txnId: randomUUID(),
    generation: 0,
    causedBy: { userId: 7, subject: null, email: 'ann@example.com', displayName: 'Ann \0 "' },
    scopes: ['cases:read'],
    input: '{"a":"\\u0000\\ud800 é 🎉"}',
    options: '{"changed_fields":{"a":[1,null]}}',
    ...rest,
  }
}
