import { createServer, type Socket } from 'node:net'

export interface RawRequest {
  readonly path: string
  /** The request line and the header lines. */
  readonly head: readonly string[]
  readonly body: string
}

export interface RawHost {
  /** As it goes into the allow-list. */
  readonly host: string
  readonly requests: readonly RawRequest[]
  connections(): number
  /** Connections that are there now. */
  open(): number
  close(): void
}

/** A host on loopback that answers in bytes, so that it can answer as no HTTP server would. */
export async function startRawHost(answer: (request: RawRequest, socket: Socket) => void): Promise<RawHost> {
  const sockets = new Set<Socket>()
  const requests: RawRequest[] = []
  let connections = 0
  const server = createServer({ allowHalfOpen: true }, socket => {
    connections++
    sockets.add(socket)
    let received = ''
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    // Half open: what is written after the other side has ended must not keep the connection.
    socket.on('end', () => socket.end())
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text
      const request = readRequest(received)
      if (request === null) return
      received = ''
      requests.push(request)
      answer(request, socket)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    host: `127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function readRequest(received: string): RawRequest | null {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = received.slice(0, end).split('\r\n')
  const body = received.slice(end + 4)
  const length = head.map(line => /^content-length: (\d+)$/i.exec(line)?.[1]).find(Boolean)
  if (Buffer.byteLength(body) < Number(length ?? 0)) return null
  return { path: head[0]?.split(' ')[1] ?? '', head, body }
}
