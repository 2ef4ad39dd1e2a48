import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { ChangeListener, EventStore } from '../../../domain/store.ts'
import type { Client } from './client.ts'
import { keepListening } from './keep-listening.ts'

const channel = 'rostrum_events'
const notify = `select pg_notify('${channel}', code) from jsonb_array_elements_text($1::text::jsonb) as code`

// Between two notifications of a gateway.
const pauseMs = 10

/** Notifies the gateways of one database of each other's changes of memberships. */
export interface EventSignal {
  readonly onChange: EventStore['onChange']
  /** Called after the commit. A notification that fails is not sent again. */
  announce(accountCode: string): void
  close(): void
}

interface Dependencies {
  readonly url: string
  readonly client: Client
}

/**
 * NOTIFY apart from the changes: inside their transactions it takes a lock until the commit is on disk, so that the
 * database makes one commit after the other, and less than half the changes a second (2,700 instead of 6,200).
 */
export function createEventSignal({ url, client }: Dependencies): EventSignal {
  const listeners = new Set<ChangeListener>()
  const changed = new Set<string>()
  let stopListening: (() => void) | null = null
  let isNotifying = false

  const wake: ChangeListener = accountCode => {
    for (const listener of listeners) listener(accountCode)
  }

  async function notifyOthers(): Promise<void> {
    isNotifying = true
    await nextTurn()
    while (changed.size > 0) {
      const accountCodes = JSON.stringify([...changed])
      changed.clear()
      await client.query(notify, [accountCodes]).catch(() => undefined)
      await sleep(pauseMs, undefined, { ref: false })
    }
    isNotifying = false
  }

  return {
    onChange(listener) {
      listeners.add(listener)
      // Notifications sent before it listens, and between two connections, are lost: each account may have changed.
      const onListening = () => wake(null)
      stopListening ??= keepListening({ url, channel, onListening, onNotification: wake })
      return () => void listeners.delete(listener)
    },
    announce(accountCode) {
      changed.add(accountCode)
      if (!isNotifying) void notifyOthers()
    },
    close: () => stopListening?.(),
  }
}
