import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface CountedTrips {
  /** The URL of the same database through the counter. */
  readonly url: string
  /** The round trips since the last call: how often a client asked again after an answer, over all connections. */
  take(): number
  /** Resolves after 0.1 s without a round trip, and forgets those before. */
  whenQuiet(): Promise<void>
}

/** Stands between a store and its PostgreSQL, and counts round trips until the test ends. */
export async function countTrips(databaseUrl: string): Promise<CountedTrips> {
  const url = new URL(databaseUrl)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  let trips = 0
  const server = createServer(client => {
    const upstream = connect(target)
    let isAnswered = true
    client.on('data', bytes => {
      if (isAnswered) trips += 1
      isAnswered = false
      upstream.write(bytes)
    })
    upstream.on('data', bytes => {
      isAnswered = true
      client.write(bytes)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  url.hostname = '127.0.0.1'
  function take(): number {
    const counted = trips
    trips = 0
    return counted
  }
  return {
    url: url.href,
    take,
    async whenQuiet() {
      for (let looks = 0; looks < 10; looks = take() === 0 ? looks + 1 : 0) await sleep(10)
    },
  }
}
