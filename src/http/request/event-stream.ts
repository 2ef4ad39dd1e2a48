import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { eventStream } from './negotiate-accept.ts'

/** A comment line: it keeps a connection open and means nothing. */
export const commentLine = Buffer.from(':\n\n')

/** Answers with server-sent events, which are written as the client reads them. */
export function sendEvents(reply: FastifyReply, chunks: AsyncGenerator<Buffer, void>): FastifyReply {
  const headers = {
    'content-type': eventStream,
    'content-encoding': 'none',
    // Without this, nginx keeps the events until it has many.
    'x-accel-buffering': 'no',
  }
  return reply.headers(headers).send(Readable.from(chunks, { objectMode: true, highWaterMark: 1 }))
}

/** Resolves when the client has read what was written. Rejects with an `AbortError` when the signal is aborted. */
export async function untilRead({ raw }: FastifyReply, signal: AbortSignal): Promise<void> {
  if (raw.writableNeedDrain) await once(raw, 'drain', { signal })
}

/** Writes a JSON text on one line. Its line breaks, which can only stand between values, would end the data. */
export function toDataLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}

/** Writes a result as an event of a stream (GraphQL over server-sent events). */
export function writeEvent(result: string): string {
  return `event: next\ndata: ${toDataLine(result)}\n\n`
}

/** Writes the last result of a stream. Clients do not connect again after it. */
export function writeLastEvent(result: string): string {
  return `${writeEvent(result)}event: complete\ndata:\n\n`
}
