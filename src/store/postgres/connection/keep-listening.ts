import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connectionTo, maxSilentMs } from './connect.ts'

const pauseMs = 100

interface KeepListening {
  readonly url: string
  readonly channel: string
  /** Called each time listening begins: at first, and after a connection was lost. */
  readonly onListening: () => void
  readonly onNotification: (payload: string) => void
}

/** Listens to a channel on its own connection, and reconnects. Gives a function that stops it. */
export function keepListening({ url, channel, onListening, onNotification }: KeepListening): () => void {
  const stopping = new AbortController()
  let client: pg.Client | undefined

  async function listen(): Promise<void> {
    client = new pg.Client({ ...connectionTo(url), query_timeout: maxSilentMs })
    const ended = new Promise<void>(resolve => client?.once('end', resolve))
    client.on('error', () => {})
    client.on('notification', ({ payload }) => onNotification(payload ?? ''))
    await client.connect()
    await client.query(`listen ${channel}`)
    onListening()
    await ended
  }

  async function listenAgain(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listen().catch(() => {})
      void client?.end()
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  void listenAgain()
  return () => {
    stopping.abort()
    void client?.end()
  }
}
