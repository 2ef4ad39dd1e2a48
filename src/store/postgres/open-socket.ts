import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** What the driver tells of the server that is to be reached. */
interface ServerAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path?: string | false
}

interface Limits {
  readonly connectMs: number
  readonly mostSilentMs: number
}

const lookEachMs = 500

/**
 * Opens connections that end once something was sent and nothing has come back for so long. No statement may take that time: the
 * way to the server is cut, and nobody has said so. The system would find that out a quarter of an hour later.
 */
export function createOpenSocket({ connectMs, mostSilentMs }: Limits) {
  return async ({ host: [host], port: [port = 5432], path }: ServerAddress): Promise<Duplex> => {
    const socket = path ? connect(path) : connect(port, host)
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
    } catch (error) {
      socket.destroy()
      return openBroken(error as Error)
    }
    failWhenTurnedAway(socket)
    endWhenUnanswered(socket, mostSilentMs)
    // TLS compares it with the certificate.
    return Object.assign(socket, { host })
  }
}

// By who stands before a server that is gone. The driver would try again and again, and at once, as long as nobody calls it a failure.
function failWhenTurnedAway(socket: Socket): void {
  socket.once('end', () => {
    if (socket.bytesRead > 0) return
    socket.destroy(Object.assign(new Error('Turned away.'), { code: 'ECONNREFUSED' }))
  })
}

// By looks, since the socket's own timeout begins again with everything that is sent.
function endWhenUnanswered(socket: Socket, mostSilentMs: number): void {
  let read = 0
  let written = 0
  let silentMs = 0
  const timer = setInterval(() => {
    const isWaiting = silentMs > 0 || socket.bytesWritten > written
    silentMs = isWaiting && socket.bytesRead === read ? silentMs + lookEachMs : 0
    read = socket.bytesRead
    written = socket.bytesWritten
    if (silentMs >= mostSilentMs) socket.destroy()
  }, lookEachMs)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}

// The driver loses a connection for good whose socket it was not given, and one whose socket closes before it has been written to.
function openBroken(error: Error): Duplex {
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error) })
}
