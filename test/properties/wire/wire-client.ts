import { connect, type Socket } from 'node:net'
import { takeAnswer, type WireAnswer } from './wire-answer.ts'
import { showRequest, toBytes, type WireRequest } from './wire-request.ts'

/** One connection, kept alive, that sends bytes no HTTP client would; opened again whenever the server closes it. */
export interface WireClient {
  /**
   * Null when the server closed the connection without an answer. Rejects on an answer that is no HTTP or never ends.
   */
  send(request: WireRequest): Promise<WireAnswer | null>
  /** What went before the last request on the same connection; a fault may be its doing. */
  before(): WireRequest | null
  close(): void
}

const patienceMs = 20_000

export function createWireClient(url: string): WireClient {
  const { hostname, port } = new URL(url)
  let kept: Socket | null = null
  let last: WireRequest | null = null
  let before: WireRequest | null = null

  function exchange(socket: Socket, request: WireRequest): Promise<WireAnswer | null> {
    return new Promise((resolve, reject) => {
      let bytes: Buffer = Buffer.alloc(0)
      const timer = setTimeout(
        () =>
          settle(() =>
            reject(
              new Error(
                `no answer in time to:\n${showRequest(request)}\n` +
                  `--- which came after:\n${before === null ? 'nothing' : showRequest(before)}`,
              ),
            ),
          ),
        patienceMs,
      )
      const settle = (end: () => void) => {
        clearTimeout(timer)
        socket.off('data', onData).off('close', onClose)
        end()
      }
      const read = (ended: boolean) => {
        try {
          const taken = takeAnswer(bytes, request.method === 'HEAD', ended)
          if (taken !== null) settle(() => resolve(keep(socket, taken.answer)))
          else if (ended) settle(() => resolve(null))
        } catch (error) {
          settle(() => reject(error))
        }
      }
      const onData = (chunk: Buffer) => {
        bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
        read(false)
      }
      const onClose = () => read(true)
      socket.on('data', onData).on('close', onClose)
      socket.write(toBytes(request))
    })
  }

  function keep(socket: Socket, answer: WireAnswer): WireAnswer {
    if (answer.headers.get('connection') === 'close' || socket.destroyed) socket.destroy()
    else kept = socket
    return answer
  }

  return {
    async send(request) {
      const isFresh = kept === null || kept.destroyed
      const socket = kept === null || kept.destroyed ? open(hostname, Number(port)) : kept
      kept = null
      before = isFresh ? null : last
      last = request
      return exchange(socket, request)
    },
    before: () => before,
    close: () => kept?.destroy(),
  }
}

function open(host: string, port: number): Socket {
  const socket = connect(port, host).setNoDelay(true)
  // What went wrong shows as a connection that closed.
  socket.on('error', () => {})
  return socket
}
