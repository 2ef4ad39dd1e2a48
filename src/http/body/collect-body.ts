import type { Readable } from 'node:stream'
import { RostrumError } from '../../errors.ts'
import type { Holding } from '../../limits/holding.ts'
import { dropBody } from '../edge/node-internals.ts'

/** Up to here a body is read as it comes and parsed at once. A longer one takes turns with others. */
export const maxBytesAtOnce = 2 ** 16

// Each chunk takes a microsecond: a large body in chunks of one byte would take an hour of a processor.
const maxFewChunks = 1_024
const minBytesOfChunk = 64

interface Collecting {
  readonly payload: Readable
  /** The announced length in bytes; 0 if the head has none. */
  readonly announced: number
  readonly maxBytes: number
  /** Counts the bytes to the account. */
  readonly holding: Holding
  /** Closes the connection after the answer, because reading the rest is not worth the work. */
  closeConnection(): void
  /** Called once, with what goes on reading, when more than `maxBytesAtOnce` have come. */
  waitForPlace(resume: () => void): void
}

type Collected = (error: Error | null, body: Buffer) => void

const nothing = Buffer.alloc(0)

/**
 * Reads a body into one buffer, which is counted to the account as it grows. Fails with `PAYLOAD_TOO_LARGE` past
 * `maxBytes`, `OVERLOADED` if the account holds too many bytes, `BAD_USER_INPUT` for chunks of a few bytes each.
 * Bytes after a refusal are dropped.
 */
export function collectBody(collecting: Collecting, done: Collected): void {
  const { payload, announced, maxBytes, holding } = collecting
  if (announced > maxBytes) return done(tooLarge(maxBytes), nothing)
  if (payload.destroyed) return done(new RostrumError('OVERLOADED', 'The client disconnected.'), nothing)
  let body: Buffer = nothing
  let bytes = 0
  let chunks = 0
  let hasPlace = false

  function add(chunk: Buffer): void {
    if (chunk.length === announced) {
      // Most bodies come whole, and need no copy.
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
    if (needed > body.length) body = enlarge(body.subarray(0, bytes), needed)
    chunk.copy(body, bytes)
    bytes = needed
    if (bytes > maxBytesAtOnce && !hasPlace) waitForPlace()
  }

  function waitForPlace(): void {
    hasPlace = true
    payload.pause()
    collecting.waitForPlace(() => payload.resume())
  }

  // A body of which a fifth has come gets all its memory at once: to enlarge it often costs as much as to hash it.
  function enlarge(full: Buffer, needed: number): Buffer {
    const rest = 5 * needed >= announced ? announced : 0
    const size = Math.min(maxBytes, Math.max(needed, 2 * full.length, rest))
    if (size > holding.amount) holding.resize(size)
    const larger = Buffer.allocUnsafe(size)
    full.copy(larger)
    return larger
  }

  function onData(chunk: Buffer): void {
    try {
      add(chunk)
    } catch (error) {
      dropBody(payload)
      end(error as Error)
    }
  }

  function end(error: Error | null): void {
    payload.off('data', onData).off('end', onEnd).off('error', end)
    done(error, body.subarray(0, bytes))
  }

  const onEnd = () => end(null)
  payload.on('data', onData).on('end', onEnd).on('error', end)
  payload.resume()
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
