import type { ChangeListener, EventStore } from '../../../domain/store.ts'

/** The listeners of changes of memberships in this process. */
export interface EventSignal {
  readonly onChange: EventStore['onChange']
  /** Called in the turn of the commit; listeners are called in the next turn. */
  announce(accountCode: string): void
}

export function createEventSignal(): EventSignal {
  const listeners = new Set<ChangeListener>()
  const changed = new Set<string>()

  function wake(): void {
    const accountCodes = [...changed]
    changed.clear()
    for (const listener of listeners) for (const accountCode of accountCodes) listener(accountCode)
  }

  return {
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    announce(accountCode) {
      if (listeners.size === 0) return
      if (changed.size === 0) setImmediate(wake)
      changed.add(accountCode)
    },
  }
}
