import { connect } from 'node:net'
import { takeAnswer, type WireAnswer } from '../../properties/wire/wire-answer.ts'

export interface ExchangeRequest {
  readonly url: string
  /** Written one after another, each in a packet of its own. */
  readonly writes: readonly Buffer[]
  /** After the last write, a byte more each time this has passed. */
  readonly thenByteEveryMs?: number
  /** Ends the writing side once all is written. */
  readonly halfClose?: boolean
  readonly neverRead?: boolean
  readonly abortAfterMs?: number
  readonly isHead?: boolean
  /** Enough when this many answers are there; else the exchange lasts until the server closes. */
  readonly answers?: number
  /** Silence after the last whole answer that ends the exchange. */
  readonly idleMs?: number
  readonly maxMs: number
}

export interface Exchange {
  readonly answers: readonly WireAnswer[]
  /** Bytes after the last whole answer. */
  readonly rest: string
  readonly closedAfterMs: number | null
  /** Until the last answer was whole. */
  readonly tookMs: number
}

/**
 * Speaks to the server in bytes and reads what it answers, as HTTP, until enough is there, it closes or the time is
 * over.
 */
export function exchangeBytes(request: ExchangeRequest): Promise<Exchange> {
  const { url, writes, thenByteEveryMs, isHead = false, answers: enough, maxMs } = request
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const since = () => performance.now() - startedAt
    const socket = connect(Number(port), hostname).setNoDelay(true)
    const answers: WireAnswer[] = []
    const timers: NodeJS.Timeout[] = [setTimeout(() => end(null), maxMs)]
    let bytes: Buffer = Buffer.alloc(0)
    let tookMs = 0
    let idle: NodeJS.Timeout | undefined

    function end(closedAfterMs: number | null): void {
      for (const timer of [...timers, idle]) clearTimeout(timer)
      socket.destroy()
      resolve({ answers, rest: bytes.toString('latin1'), closedAfterMs, tookMs })
    }

    function read(ended: boolean): void {
      for (let taken = takeAnswer(bytes, isHead, ended); taken !== null; ) {
        answers.push(taken.answer)
        bytes = taken.rest
        tookMs = since()
        taken = takeAnswer(bytes, isHead, ended)
      }
      clearTimeout(idle)
      if (request.idleMs !== undefined && answers.length > 0)
        idle = setTimeout(() => end(null), request.idleMs)
    }

    socket.on('error', () => {})
    socket.on('close', () => {
      try {
        read(true)
        end(since())
      } catch (error) {
        reject(error)
      }
    })
    if (request.neverRead) socket.pause()
    else
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk])
        try {
          read(false)
        } catch (error) {
          reject(error)
        }
        if (enough !== undefined && answers.length >= enough) end(null)
      })
    for (const write of writes) socket.write(write)
    if (request.halfClose) socket.end()
    if (request.abortAfterMs !== undefined) timers.push(setTimeout(() => end(null), request.abortAfterMs))
    if (thenByteEveryMs !== undefined)
      timers.push(setInterval(() => socket.writable && socket.write('x'), thenByteEveryMs))
  })
}
