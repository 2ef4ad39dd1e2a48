import { createServer, type Socket } from 'node:net'

export interface Canary {
  readonly port: number
  connections(): number
  close(): void
}

/** A server on loopback that counts connections, even those that are refused later. */
export async function startCanary(): Promise<Canary> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    connections++
    sockets.add(socket.on('error', () => undefined))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
