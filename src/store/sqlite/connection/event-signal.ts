import type { ChangeListener, EventStore } from '../../../domain/store.ts'

/** Who wants to know of changes of memberships in this process. */
export interface EventSignal {
  readonly onChange: EventStore['onChange']
  /** To be called in the transaction of the change; listeners hear of it once that has ended. */
  announce(accountCode: string): void
}

export function createEventSignal(): EventSignal {
  const listeners = new Set<ChangeListener>()
  const changed = new Set<string>()

  function tell(): void {
    const accountCodes = [...changed]
    changed.clear()
    for (const listener of listeners) for (const accountCode of accountCodes) listener(accountCode)
  }

  return {
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    // A transaction begins and ends in one turn of the event loop.
    announce(accountCode) {
      if (listeners.size === 0) return
      if (changed.size === 0) setImmediate(tell)
      changed.add(accountCode)
    },
  }
}
