import type { FastifyReply, FastifyRequest } from 'fastify'
import { RostrumError } from '../../errors.ts'
import type { EventStream } from '../../graphql/event-stream.ts'
import { fillTemplate } from '../../json/json-text.ts'
import { loadOnce } from '../../load-once.ts'
import type { UnreadAnswers } from '../edge/unread-answers.ts'
import { answerError } from '../errors/answer-error.ts'
import type { HttpServices } from '../request/http-services.ts'
import { eventStream } from '../request/negotiate-accept.ts'
import { sendEventStream } from './send-event-stream.ts'
import type { YogaHandler } from './yoga-handler.ts'

// Headers that Yoga sets on every stream. They are removed, because Node sets the right ones.
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])

interface Asking {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The media type of the answer. */
  readonly type: string
}

/** Answers any GraphQL request over HTTP with Yoga. Yoga is loaded before the first such request. */
export function createYogaAnswers(services: HttpServices, unread: UnreadAnswers) {
  const loadYoga = loadOnce(() => loadYogaHandler(services))
  async function answer({ request, reply, type }: Asking): Promise<FastifyReply> {
    const { method, url, raw } = request
    // Only these headers go to Yoga, so that it never sees the credential.
    const headers = { accept: type, 'content-type': raw.headers['content-type'] ?? '' }
    const yoga = await loadYoga()
    const fetchRequest = new yoga.fetchAPI.Request(`http://localhost${url}`, { method, headers })
    let stream: EventStream | null = null
    const takeStream = (begun: EventStream) => {
      stream = begun
    }
    const insertions: string[] = []
    const response = await yoga.fetch(fetchRequest, { fastifyRequest: request, takeStream, insertions })
    if (stream !== null) return sendEventStream({ request, reply, stream, turns: services.turns, unread })
    return sendResponse({ request, reply, response, insertions, isStream: type === eventStream })
  }
  return { answer, load: loadYoga }
}

// Loads Yoga on demand: it has about 500 modules and 8 MB, and loading takes 130 ms of the event loop.
async function loadYogaHandler(services: HttpServices): Promise<YogaHandler> {
  const { createYogaHandler } = await import('./yoga-handler.ts')
  return createYogaHandler(services)
}

interface Sending {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly response: Response
  readonly insertions: readonly string[]
  readonly isStream: boolean
}

// Statuses of refusals that are sent inside a stream, because a client of streams reads errors only there (contract,
// section 9).
const refusedInStream = new Set([400, 403, 404, 409, 412, 413, 422])

async function sendResponse({
  request,
  reply,
  response,
  insertions,
  isStream,
}: Sending): Promise<FastifyReply> {
  const { status, headers, body } = response
  if (body === null && status >= 400) return answerError({ request, reply, status, error: refusalOf(status) })
  reply.code(isStream && refusedInStream.has(status) ? 200 : status)
  for (const [name, value] of headers) {
    if (!ofConnection.has(name.toLowerCase())) reply.header(name, value)
  }
  return reply.send(body === null ? undefined : fillTemplate({ text: await response.text(), insertions }))
}

// Returns the error for a request that Yoga refused without a body.
function refusalOf(status: number): RostrumError {
  if (status === 415) return new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'Send `application/json`.')
  return new RostrumError('BAD_USER_INPUT', 'This is not a request of GraphQL over HTTP.')
}
