import { connect, createServer, type Socket } from 'node:net'

export type Weather =
  | { readonly kind: 'fair' }
  /** Each piece waits so long before it goes on. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Stops forwarding, at a text if given, without closing anything. A connection that was stopped stays so. */
  | { readonly kind: 'silent'; readonly from?: string }
  /** Resets a connection after this number of answered bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: () => number }
  /** Replaces a text that the client sends by another one of the same length. */
  | { readonly kind: 'misheard'; readonly text: string; readonly as: string }

export interface TcpProxy {
  readonly port: number
  setWeather(weather: Weather): void
  /** Connections it has reset in the middle of an answer. */
  cuts(): number
  /** Cuts all connections and refuses new ones, as when nothing listens there, until `work` is done. */
  closeWhile(work: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/**
 * Stands on a port of its own before another of this machine, and lets happen to connections what happens in networks.
 */
export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let weather: Weather = { kind: 'fair' }
  let cuts = 0

  const server = createServer(client => {
    const target = connect(targetPort, '127.0.0.1')
    const end = (how: 'destroy' | 'resetAndDestroy') => {
      client[how]()
      target[how]()
    }
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.on('error', () => end('destroy'))
      socket.on('close', () => {
        sockets.delete(socket)
        end('destroy')
      })
    }
    let isSilent = false
    let bytesLeft = weather.kind === 'cut' ? weather.afterBytes() : Number.POSITIVE_INFINITY

    const forward = (chunk: Buffer, to: Socket) => {
      if (weather.kind === 'silent' && chunk.includes(weather.from ?? '')) isSilent = true
      if (isSilent) return
      if (weather.kind === 'slow') setTimeout(() => to.write(chunk), weather.delayMs)
      else to.write(chunk)
    }
    target.on('data', (chunk: Buffer) => {
      const passing = chunk.subarray(0, bytesLeft)
      bytesLeft -= passing.length
      forward(passing, client)
      if (passing.length === chunk.length) return
      cuts += 1
      // What was written is on its way first.
      client.end(() => end('resetAndDestroy'))
    })
    client.on('data', (chunk: Buffer) => {
      if (weather.kind !== 'misheard') return forward(chunk, target)
      const heard = chunk.toString('latin1').replaceAll(weather.text, weather.as)
      forward(Buffer.from(heard, 'latin1'), target)
    })
  })

  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  }

  await listen(0)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port to listen on.')
  const { port } = address
  return {
    port,
    setWeather(next) {
      weather = next
    },
    cuts: () => cuts,
    async closeWhile(work) {
      await close()
      try {
        await work()
      } finally {
        await listen(port)
      }
    },
    stop: close,
  }
}
