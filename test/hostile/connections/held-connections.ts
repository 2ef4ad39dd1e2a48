import { connect, type Socket } from 'node:net'
import type { WireStage } from '../wire/wire-stage.ts'

export interface HeldConnection {
  readonly socket: Socket
  isClosed(): boolean
}

interface Reservation {
  readonly count: number
  /** Written at once; null writes nothing. */
  readonly bytes: Buffer | null
  readonly reads?: boolean
}

/**
 * Opens connections, gives them some bytes and leaves them alone, unread if asked for. Others are answered meanwhile.
 */
export async function holdMany(
  stage: WireStage,
  { count, bytes, reads = true }: Reservation,
): Promise<HeldConnection[]> {
  const held: HeldConnection[] = []
  // A hundred at a time: what overflows the kernel's queue of a listener looks open to the client, and is not.
  while (held.length < count) {
    const next = Math.min(100, count - held.length)
    held.push(...(await Promise.all(Array.from({ length: next }, () => hold(stage, bytes, reads)))))
    await stage.askNormally()
  }
  return held
}

function hold(stage: WireStage, bytes: Buffer | null, reads: boolean): Promise<HeldConnection> {
  const { hostname, port } = new URL(stage.server.baseUrl)
  return new Promise((resolve, reject) => {
    let closed = false
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.on('close', () => {
      closed = true
    })
    socket.once('connect', () => {
      socket.removeAllListeners('error').on('error', () => {})
      if (reads) socket.resume()
      else socket.pause()
      if (bytes !== null) socket.write(bytes)
      resolve({ socket, isClosed: () => closed })
    })
  })
}
