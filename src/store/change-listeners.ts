import type { ChangeListener, EventStore } from '../domain/port.ts'
import type { QueueStore } from '../domain/queue/queue-store.ts'

/** Announced when runs of any account were queued. A symbol, so that no account code can equal it. */
export const queuedRuns = Symbol('queued runs')

/** What a commit changed: the events of an account, by its code, or the queue. */
export type Changed = string | typeof queuedRuns

export interface ChangeListeners {
  readonly onChange: EventStore<unknown>['onChange']
  readonly onQueued: QueueStore['onQueued']
}

/** Keeps the listeners of one store. `wake` calls the listeners of a change, or all (null). */
export function createChangeListeners() {
  const ofAccounts = new Set<ChangeListener>()
  const ofQueue = new Set<() => void>()
  return {
    onChange: (listener: ChangeListener) => add(ofAccounts, listener),
    onQueued: (listener: () => void) => add(ofQueue, listener),
    areNone: () => ofAccounts.size + ofQueue.size === 0,
    wake(changed: Changed | null): void {
      if (changed !== queuedRuns) for (const listener of ofAccounts) listener(changed)
      if (typeof changed !== 'string') for (const listener of ofQueue) listener()
    },
  }
}

function add<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
