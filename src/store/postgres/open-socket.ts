import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** What the driver tells of the server that is to be reached. */
interface ServerAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path?: string | false
  /** Null for a connection that only waits for notifications. */
  readonly idle_timeout: number | null
}

interface Limits {
  readonly connectMs: number
  readonly mostSilentMs: number
}

/**
 * Opens connections that end once nothing has come or gone for so long. No statement may take that time, so either nobody uses the
 * connection, or the way to the server is cut and nobody has said so; the system would find that out a quarter of an hour later.
 */
export function createOpenSocket({ connectMs, mostSilentMs }: Limits) {
  return async ({
    host: [host],
    port: [port = 5432],
    path,
    idle_timeout,
  }: ServerAddress): Promise<Duplex> => {
    const socket = path ? connect(path) : connect(port, host)
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
    } catch (error) {
      socket.destroy()
      return openBroken(error as Error)
    }
    failWhenTurnedAway(socket)
    if (idle_timeout !== null) endWhenSilent(socket, mostSilentMs)
    // TLS compares it with the certificate.
    return Object.assign(socket, { host })
  }
}

// By who stands before a server that is gone. The driver would try again and again, and at once, as long as nobody calls it a failure.
function failWhenTurnedAway(socket: Socket): void {
  socket.once('end', () => {
    if (socket.bytesRead === 0)
      socket.destroy(Object.assign(new Error('Turned away.'), { code: 'ECONNREFUSED' }))
  })
}

function endWhenSilent(socket: Socket, mostSilentMs: number): void {
  socket.setTimeout(mostSilentMs, () => socket.destroy())
}

// The driver loses a connection for good whose socket it was not given, and one whose socket closes before it has been written to.
function openBroken(error: Error): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error) })
}
