import type { Readable } from 'node:stream'
import { clientGone, RostrumError } from '../../errors.ts'
import { dropBody } from '../node-internals.ts'

/** Maximum bytes of a body that is read as it arrives and parsed at once. A longer one takes turns with others. */
export const maxBytesAtOnce = 2 ** 16

// Maximum number of small chunks. Each takes a microsecond: a large body in chunks of one byte would take an hour of a
// processor.
const maxFewChunks = 1_024
const minBytesOfChunk = 64

/** The memory that a body is counted to while it arrives. */
export interface BodyMemory {
  /**
   * Counts this many bytes, in all. Returns a promise if the body has to wait for them, else null. Fails with
   * `OVERLOADED` if there is no room.
   */
  reserve(bytes: number): Promise<void> | null
  /** Takes note of the bytes that have arrived, in all. */
  arrived(bytes: number): void
}

interface Collecting {
  readonly payload: Readable
  /** The announced length in bytes; 0 if the head has none. */
  readonly announced: number
  readonly maxBytes: number
  readonly memory: BodyMemory
  /** Closes the connection after the answer, because reading the rest is not worth the work. */
  closeConnection(): void
  /** Called once, when more than `maxBytesAtOnce` have arrived. Call `resume` to continue reading. */
  waitForPlace(resume: () => void): void
}

type Collected = (error: Error | null, body: Buffer) => void

const nothing = Buffer.alloc(0)

/**
 * Reads a body into one buffer, which is counted as it grows. Fails with `PAYLOAD_TOO_LARGE` past `maxBytes`,
 * `OVERLOADED` if there is no room for its bytes, `BAD_USER_INPUT` for chunks of a few bytes each. Bytes after a
 * refusal are dropped. Returns a function that ends the body with an error.
 */
export function collectBody(collecting: Collecting, done: Collected): (error: Error) => void {
  const { payload, announced, maxBytes, memory } = collecting
  let body: Buffer = nothing
  let bytes = 0
  let chunks = 0
  let hasPlace = false
  let isEnded = false

  function add(chunk: Buffer): void {
    if (chunk.length === announced) {
      // Most bodies arrive whole, and need no copy.
      body = chunk
      bytes = announced
      return
    }
    const needed = bytes + chunk.length
    chunks++
    if (needed > maxBytes) throw tooLarge(maxBytes)
    if (chunks > maxFewChunks + needed / minBytesOfChunk) {
      collecting.closeConnection()
      throw tooManyChunks()
    }
    memory.arrived(needed)
    if (needed <= body.length) return copy(chunk)
    const size = enlargedSize(needed)
    const room = memory.reserve(size)
    if (room === null) return enlarge(size, chunk)
    payload.pause()
    room
      .then(() => {
        if (isEnded) return
        payload.resume()
        enlarge(size, chunk)
      })
      .catch(refuse)
  }

  function enlarge(size: number, chunk: Buffer): void {
    const larger = Buffer.allocUnsafe(size)
    body.copy(larger, 0, 0, bytes)
    body = larger
    copy(chunk)
  }

  function copy(chunk: Buffer): void {
    chunk.copy(body, bytes)
    bytes += chunk.length
    if (bytes > maxBytesAtOnce && !hasPlace) waitForPlace()
  }

  function waitForPlace(): void {
    hasPlace = true
    payload.pause()
    collecting.waitForPlace(() => payload.resume())
  }

  // The size grows with the bytes that have arrived, not with the announced ones: a body holds at most twice its bytes.
  function enlargedSize(needed: number): number {
    const most = announced === 0 ? maxBytes : announced
    return Math.max(needed, Math.min(most, 2 * body.length))
  }

  function onData(chunk: Buffer): void {
    try {
      add(chunk)
    } catch (error) {
      refuse(error as Error)
    }
  }

  function refuse(error: Error): void {
    if (isEnded) return
    dropBody(payload)
    end(error)
  }

  function end(error: Error | null): void {
    isEnded = true
    payload.off('data', onData).off('end', onEnd).off('error', end)
    const whole = body.subarray(0, bytes)
    body = nothing
    done(error, error === null ? whole : nothing)
  }

  const onEnd = () => end(null)
  if (announced > maxBytes) end(tooLarge(maxBytes))
  else if (payload.destroyed) end(clientGone())
  else {
    payload.on('data', onData).on('end', onEnd).on('error', end)
    payload.resume()
  }
  return refuse
}

function tooLarge(maxBytes: number): RostrumError {
  return new RostrumError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes; send less.`)
}

function tooManyChunks(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `The body came in more than ${maxFewChunks} chunks of less than ${minBytesOfChunk} bytes each; send larger ones.`,
  )
}
