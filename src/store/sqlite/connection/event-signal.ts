import { type Changed, type ChangeListeners, createChangeListeners } from '../../change-listeners.ts'

/** Notifies listeners in this process of changes. */
export interface EventSignal extends ChangeListeners {
  /** Announces a change. Call it in the turn of the commit; listeners are called in the next turn. */
  announce(changed: Changed): void
}

export function createEventSignal(): EventSignal {
  const { areNone, wake, ...listeners } = createChangeListeners()
  const announced = new Set<Changed>()

  function wakeAll(): void {
    const all = [...announced]
    announced.clear()
    for (const changed of all) wake(changed)
  }

  return {
    ...listeners,
    announce(changed) {
      if (areNone()) return
      if (announced.size === 0) setImmediate(wakeAll)
      announced.add(changed)
    },
  }
}
