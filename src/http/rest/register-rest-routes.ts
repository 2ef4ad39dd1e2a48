import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction as HookDone,
} from 'fastify'
import { invalidInput, type RostrumError, toFieldCode } from '../../errors.ts'
import type { Answer } from '../../graphql/engine.ts'
import { writeJson } from '../../json/json-text.ts'
import { jsonObject, readBody } from '../body/content/read-body.ts'
import { documentIn, parseTaskBody } from '../body/content/task-body.ts'
import { createBodyParser } from '../body/create-body-parser.ts'
import { parseFormBody } from '../body/form-body.ts'
import { createDataParser } from '../body/json-body.ts'
import { addSourceParsers } from '../body/source-parsers.ts'
import type { UnreadAnswers } from '../edge/unread-answers.ts'
import { answerFailure } from '../errors/answer-error.ts'
import { findRouteWork } from '../idempotency/find-work.ts'
import { noStreamWithKey } from '../idempotency/idempotency-hooks.ts'
import { queryOf } from '../paths.ts'
import { addCallerHooks, type Registration } from '../registration.ts'
import { executeFor, type HttpServices } from '../request/http-services.ts'
import { negotiateAccept } from '../request/negotiate-accept.ts'
import { prefersStrict, strictHandling } from '../request/prefers-strict.ts'
import { followRun } from './events/follow-run.ts'
import type { ExecutionBody } from './events/run-events.ts'
import { restRoutes } from './rest-routes.ts'
import type { Bodies, RestAnswer, RestRequest, RestRow } from './rest-row.ts'

/** Registers all rows of the REST table. Forms are parsed only for rows that accept them. */
export async function registerRestRoutes(server: FastifyInstance, registration: Registration): Promise<void> {
  const { services, takeTurn, idempotency, unreadAnswers } = registration
  for (const bodies of ['records', 'data', 'tasks', 'sources'] as const satisfies Bodies[]) {
    await server.register(async routes => {
      addCallerHooks(routes, registration)
      replaceParsers(routes, bodies, services)
      for (const row of restRoutes.filter(candidate => candidate.bodies === bodies)) {
        const { method, path } = row
        const work = findRouteWork(row.operation, services.engine.runFields)
        const findWork = (request: FastifyRequest) => {
          if (choosesEvents(row, request)) throw noStreamWithKey()
          return work
        }
        // A request that may start a run reserves a place for the run before its body is read.
        const place = work?.mayRun ? [createPlaceHook(services)] : []
        const onRequest = [...place, takeTurn]
        if (method === 'DELETE') onRequest.push(forgetEmptyType)
        const preHandler = [confirmStrict, idempotency.createBeginHook(findWork)]
        const handler = createHandler(row, services, unreadAnswers)
        routes.route({ method, url: path, onRequest, preHandler, handler })
      }
    })
  }
}

function replaceParsers(routes: FastifyInstance, bodies: Bodies, services: HttpServices): void {
  if (bodies === 'records') return
  if (bodies === 'sources') return addSourceParsers(routes, services)
  const parseJson = bodies === 'data' ? createDataParser('case') : parseTaskBody
  routes.removeContentTypeParser('application/json')
  routes.addContentTypeParser('application/json', createBodyParser(services, parseJson))
  if (bodies === 'data') return
  routes.addContentTypeParser('application/x-www-form-urlencoded', createBodyParser(services, parseFormBody))
}

// Forgets the content type of a body that has no bytes. Some clients send one with every request.
function forgetEmptyType({ raw }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  const { headers } = raw
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty) delete headers['content-type']
  done()
}

// Adds `Preference-Applied` to every answer with strict handling, repeated answers included.
function confirmStrict(request: FastifyRequest, reply: FastifyReply, done: HookDone): void {
  if (prefersStrict(request)) reply.header('preference-applied', strictHandling)
  done()
}

// Creates a hook that refuses a request before its body is read if there is no place for its run. A run inside a run
// never waits, so it needs no place.
function createPlaceHook({ reserveRunPlace }: HttpServices) {
  return ({ state }: FastifyRequest, _reply: FastifyReply, done: HookDone): void => {
    const { caller, run } = state.checkedIdentity
    if (run !== null) return done()
    state.releaseRunPlace = reserveRunPlace(caller.accountCode)
    state.atEnd(state.releaseRunPlace)
    done()
  }
}

// The body of a delete request has no known fields, so strict handling refuses every field.
const noFields = jsonObject({}, 'a JSON object')

// A client that accepts everything, or names JSON first, may be unable to read a stream.
function choosesEvents({ followsRun = false }: RestRow, { raw }: FastifyRequest): boolean {
  return followsRun && negotiateAccept(raw).prefersStream
}

function createHandler(row: RestRow, services: HttpServices, unread: UnreadAnswers) {
  const { document: query, field } = row.operation
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const given = readRequest(request)
    if (given.isStrict && row.method === 'DELETE' && given.body !== undefined)
      readBody(noFields, given.body, true)
    const variables = row.readVariables(given)
    if (row.bodies === 'tasks') request.state.knownJson = documentIn(given.body)
    const execute = () => executeFor(request.state, services, { query, variables })
    const read = ({ result }: Answer) => row.answer(result.data?.[field], given)
    const executing = choosesEvents(row, request)
      ? followRun({ request, reply, unread, execute, readBody: answer => read(answer).body as ExecutionBody })
      : execute()
    const answer = executing instanceof Promise ? await executing : executing
    if (answer === null) return reply
    const [failure] = answer.failures
    if (failure === undefined) return sendAnswer(reply, read(answer))
    const renamed = renameFields(failure, row.pointersInto(given.body))
    return answerFailure({ request, reply, failure: row.toFailure?.(failure, renamed) ?? renamed })
  }
}

function sendAnswer(reply: FastifyReply, { status, headers = {}, body, source }: RestAnswer): FastifyReply {
  reply.code(status).headers(headers)
  if (source !== undefined) return reply.type('text/javascript; charset=utf-8').send(source)
  if (body === undefined) return reply.send()
  return reply.type('application/json; charset=utf-8').send(writeJson(body))
}

function readRequest(request: FastifyRequest): RestRequest {
  const { params, url, body, headers } = request
  const { id = '', name = '' } = params as { id?: string; name?: string }
  return {
    id,
    name,
    queryString: queryOf(url),
    body,
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    accept: headers.accept,
    isStrict: prefersStrict(request),
  }
}

// Renames the fields of an error: resolvers use the names of GraphQL, and the caller sent those of REST.
function renameFields(failure: RostrumError, pointers: Readonly<Record<string, string>>): RostrumError {
  const renamed = failure.fields.map(({ pointer, detail }) => ({
    pointer: rename(pointer, pointers),
    detail,
  }))
  return renamed.some(({ pointer }, index) => pointer !== failure.fields[index]?.pointer)
    ? invalidInput(renamed, toFieldCode(failure.code))
    : failure
}

// Renames the field in a pointer. The pointer may also go below the field, such as `/data/a/0`.
function rename(pointer: string, pointers: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(pointers, pointer)) return pointers[pointer] ?? pointer
  const end = pointer.indexOf('/', 1)
  const field = end === -1 ? '' : pointer.slice(0, end)
  return Object.hasOwn(pointers, field) ? `${pointers[field]}${pointer.slice(end)}` : pointer
}
