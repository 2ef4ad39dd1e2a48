import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FairTurns } from '../../fairness/fair-turns.ts'
import type { EventStream } from '../../graphql/event-stream.ts'
import type { UnreadAnswers } from '../edge/unread-answers.ts'
import { commentLine, sendEvents, untilRead, writeEvent, writeLastEvent } from '../request/event-stream.ts'
import { Pending } from '../request/pending.ts'

// A stream without events sends a comment this often, so that no proxy closes it.
const commentEveryMs = 12_000

// Limits of one write: it takes the events that are ready, up to this many characters and milliseconds.
const maxChunkLength = 2 ** 16
const maxTurnMs = 1

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly stream: EventStream
  readonly turns: FairTurns
  readonly unread: UnreadAnswers
}

/**
 * Answers with server-sent events in Yoga's format. Once the client has room for a chunk of events, the chunk takes its
 * turn among the requests of all accounts. It counts as unread until the client has read it.
 */
export function sendEventStream(sending: Sending): FastifyReply {
  return sendEvents(sending.reply, countUnread(sending, writeChunks(sending)))
}

async function* countUnread(
  { request: { state, raw }, reply, unread }: Sending,
  chunks: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  const { accountCode } = state.checkedIdentity.caller
  const cut = () => raw.socket.destroy()
  for await (const chunk of chunks) {
    const answer = { accountCode, bytes: chunk.length, cut }
    unread.add(answer)
    try {
      yield chunk
      await untilRead(reply, state.signal)
    } finally {
      unread.release(answer)
    }
  }
}

async function* writeChunks({ request, stream, turns }: Sending): AsyncGenerator<Buffer, void> {
  const { accountCode } = request.state.checkedIdentity.caller
  // A comment first, because some browsers report a stream as open only after its first bytes.
  yield commentLine
  for (let next: Next | null = takeNext(stream); next !== null; ) {
    while (!(await next.settlesWithin(commentEveryMs))) yield commentLine
    await turns.wait(accountCode)
    const chunk = await fillChunk(stream, next)
    yield Buffer.from(chunk.text)
    next = chunk.next
  }
}

type Next = Pending<IteratorResult<unknown, void>>

interface Chunk {
  readonly text: string
  /** Null at the end of the stream. */
  readonly next: Next | null
}

const takeNext = ({ events }: EventStream): Next => new Pending(events.next())

async function fillChunk(stream: EventStream, first: Next): Promise<Chunk> {
  const endAt = performance.now() + maxTurnMs
  let text = ''
  for (let next = first; ; ) {
    try {
      const { done, value } = await next.promise
      // The events end only when the gateway stops. No `complete` event is sent, so clients connect again.
      if (done) return { text, next: null }
      const result = await stream.write(value)
      if (result === null) {
        // Later events would hide that this one is missing. The client connects again, from the event before it.
        await stream.events.return?.()
        return { text, next: null }
      }
      text += writeEvent(result)
    } catch (error) {
      return { text: text + writeLastEvent(stream.writeFailure(error)), next: null }
    }
    next = takeNext(stream)
    const isFull = text.length >= maxChunkLength || performance.now() >= endAt
    if (isFull || !(await next.settlesAtOnce())) return { text, next }
  }
}
