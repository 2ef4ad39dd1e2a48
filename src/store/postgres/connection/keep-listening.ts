import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { maxSilentMs } from '../silence.ts'
import { connectionTo } from './connect.ts'

const pauseMs = 100
// A proxy can stay silent on a connection that it keeps open, so something is asked now and then.
const checkEveryMs = 10_000

interface KeepListening {
  readonly url: string
  readonly channels: readonly string[]
  /** Called each time listening begins: at first, and again after each lost connection. */
  readonly onListening: () => void
  readonly onNotification: (channel: string, payload: string) => void
}

/** Listens to channels on a connection of its own, and reconnects. Returns a function that stops it. */
export function keepListening({ url, channels, onListening, onNotification }: KeepListening): () => void {
  const stopping = new AbortController()
  let client: pg.Client | undefined

  async function listen(): Promise<void> {
    client = new pg.Client({ ...connectionTo(url), query_timeout: maxSilentMs })
    const ended = new Promise<void>(resolve => client?.once('end', resolve))
    client.on('error', () => {})
    client.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''))
    await client.connect()
    await client.query(channels.map(channel => `listen ${channel}`).join('; '))
    onListening()
    const { connection } = client
    const check = () => client?.query('select 1').catch(() => connection.stream.destroy())
    const checking = setInterval(check, checkEveryMs).unref()
    await ended
    clearInterval(checking)
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
