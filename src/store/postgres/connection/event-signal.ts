import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import {
  type Changed,
  type ChangeListeners,
  createChangeListeners,
  queuedRuns,
} from '../../change-listeners.ts'
import type { Client } from './client.ts'
import { keepListening } from './keep-listening.ts'

// The channel of notifications. The payload is the code of the account.
const eventChannel = 'rostrum_events'
const queueChannel = 'rostrum_queue'
const notify = `select pg_notify(each ->> 0, each ->> 1) from jsonb_array_elements($1::text::jsonb) as each`

// Pause in ms between two notifications of a gateway.
const pauseMs = 10

/** Notifies the gateways of one database of each other's changes. */
export interface EventSignal extends ChangeListeners {
  /** Announces a change. Call it after the commit. A notification that fails is not sent again. */
  announce(changed: Changed): void
  close(): void
}

interface Dependencies {
  readonly url: string
  readonly client: Client
}

/**
 * Notifies outside the transactions of the changes. Inside a transaction, NOTIFY takes a lock until the commit is on
 * disk, so that the database would commit one change after the other: 2,700 a second instead of 6,200.
 */
export function createEventSignal({ url, client }: Dependencies): EventSignal {
  const { wake, onChange, onQueued } = createChangeListeners()
  const announced = new Set<Changed>()
  let stopListening: (() => void) | null = null
  let isNotifying = false

  function listen(): void {
    // Wakes all listeners. Notifications were lost while this connection was not listening, so anything may have
    // changed.
    const onListening = () => wake(null)
    stopListening ??= keepListening({
      url,
      channels: [eventChannel, queueChannel],
      onListening,
      onNotification: (channel, payload) => wake(channel === queueChannel ? queuedRuns : payload),
    })
  }

  async function notifyOthers(): Promise<void> {
    isNotifying = true
    await nextTurn()
    while (announced.size > 0) {
      const notifications = JSON.stringify([...announced].map(toNotification))
      announced.clear()
      await client.query(notify, [notifications]).catch(() => undefined)
      await sleep(pauseMs, undefined, { ref: false })
    }
    isNotifying = false
  }

  return {
    onChange(listener) {
      listen()
      return onChange(listener)
    },
    onQueued(listener) {
      listen()
      return onQueued(listener)
    },
    announce(changed) {
      announced.add(changed)
      if (!isNotifying) void notifyOthers()
    },
    close: () => stopListening?.(),
  }
}

function toNotification(changed: Changed): readonly [channel: string, payload: string] {
  return changed === queuedRuns ? [queueChannel, ''] : [eventChannel, changed]
}
