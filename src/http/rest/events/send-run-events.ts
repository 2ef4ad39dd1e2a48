import type { FastifyReply, FastifyRequest } from 'fastify'
import { commentLine, sendEvents, untilRead } from '../../request/event-stream.ts'
import { Pending } from '../../request/pending.ts'
import type { RunEvents } from './run-events.ts'

// A run that sends nothing sends a comment this often, so that no proxy closes its connection (contract, section 10).
const commentEveryMs = 15_000

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly events: RunEvents
}

/** Answers with the events of a run, each once its client has read the ones before it. */
export function sendRunEvents({ request: { state }, reply, events }: Sending): FastifyReply {
  state.countStream()
  return sendEvents(
    reply,
    writeChunks(events, () => untilRead(reply, state.signal)),
  )
}

async function* writeChunks(events: RunEvents, whenRead: () => Promise<void>): AsyncGenerator<Buffer, void> {
  // Sends the head of the answer before the first event.
  yield commentLine
  for (;;) {
    const next = new Pending(events.next())
    while (!(await next.settlesWithin(commentEveryMs))) yield commentLine
    const chunk = await next.promise
    if (chunk === null) return
    yield chunk
    await whenRead()
  }
}
