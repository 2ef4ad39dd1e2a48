import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { eventStream } from '../../graphql/negotiate-accept.ts'
import { Pending } from '../../request/pending.ts'
import type { RunEvents } from './run-events.ts'

// A run that sends nothing sends a comment, so that no proxy closes its connection.
const heartbeatEveryMs = 15_000
const heartbeat = Buffer.from(':\n\n')

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly events: RunEvents
}

/** Answers with the events of a run, each once its client has read the ones before it. */
export function sendRunEvents({ request: { state }, reply, events }: Sending): FastifyReply {
  state.countStream()
  const headers = { 'content-type': eventStream, 'cache-control': 'no-cache', 'content-encoding': 'none' }
  const chunks = writeChunks(events, async () => {
    if (reply.raw.writableNeedDrain) await once(reply.raw, 'drain', { signal: state.signal })
  })
  return reply.headers(headers).send(Readable.from(chunks, { objectMode: true, highWaterMark: 1 }))
}

async function* writeChunks(events: RunEvents, untilRead: () => Promise<void>): AsyncGenerator<Buffer, void> {
  // Sends the head of the answer before the first event.
  yield heartbeat
  for (;;) {
    const next = new Pending(events.next())
    while (!(await next.settlesWithin(heartbeatEveryMs))) yield heartbeat
    const chunk = await next.promise
    if (chunk === null) return
    yield chunk
    await untilRead()
  }
}
