import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** A request. `upgrade` is set if it asks for another protocol or a tunnel. */
export type ParsedHead = IncomingMessage & { upgrade?: boolean }
export type AcceptHead = (request: ParsedHead, keepAlive: boolean) => number

/** The parts of Node's HTTP server on a socket that we use. Node has no public way to stop parsing within one read. */
export interface NodeParser {
  onIncoming: AcceptHead
  resume(): void
  getCurrentBuffer(): Buffer
}

export type ServerSocket = Socket & {
  readonly parser: NodeParser | null
  readonly _handle: { reading: boolean; readStart(): void; readStop(): void } | null
  _paused: boolean
}

/**
 * The llhttp code for a pause. `onIncoming` may return it. Node then reports an error with the packet and the number of
 * bytes that it has parsed.
 */
export const paused = 21
export const pausedCode = 'HPE_PAUSED'

const ignore = () => undefined

/**
 * Stops reading until `resumeReading` is called, even where Node would resume by itself, as after a body or a drained
 * answer. The listener takes over the socket, which the parser otherwise reads directly, so that later bytes stay in
 * order.
 */
export function stopReading(socket: ServerSocket): void {
  socket.pause()
  socket.on('data', ignore).off('data', ignore)
  socket.resume = () => socket
  const { _handle: handle } = socket
  if (!handle?.reading) return
  handle.reading = false
  handle.readStop()
}

export function resumeReading(socket: ServerSocket): void {
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
  const { _handle: handle } = socket
  if (handle === null || handle.reading) return
  handle.reading = true
  handle.readStart()
}

/**
 * Reads on and gives the bytes to `onBytes` in place of the parser. So Node notices if the client ends the connection.
 * Returns what stops the reading and puts the parser back.
 */
export function readUnparsed(socket: ServerSocket, onBytes: (bytes: Buffer) => void): () => void {
  const parsers = socket.listeners('data') as ((bytes: Buffer) => void)[]
  socket.removeAllListeners('data').on('data', onBytes)
  resumeReading(socket)
  return () => {
    stopReading(socket)
    socket.off('data', onBytes)
    for (const parse of parsers) socket.on('data', parse)
  }
}

/**
 * Makes Node drop the rest of a body without an event for each chunk. It does not affect the answer or the next
 * request.
 */
export function dropBody(body: Readable & { _dump?(): void }): void {
  body._dump?.()
}
