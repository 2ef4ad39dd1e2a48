import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction as HookDone,
} from 'fastify'
import { invalidInput, type RostrumError } from '../../errors.ts'
import { writeJson } from '../../json/json-text.ts'
import { createBodyParser } from '../body/create-body-parser.ts'
import { parseFormBody } from '../body/form-body.ts'
import { parseTaskBody } from '../body/task-body.ts'
import { answerFailure } from '../errors/answer-error.ts'
import {
  createAuthenticationHook,
  refuseEncodedBody,
  refuseEndedRun,
} from '../request/authenticate-request.ts'
import { executeFor, type HttpServices } from '../request/http-services.ts'
import type { Registration } from '../request/take-turn.ts'
import { restRoutes } from './rest-routes.ts'
import type { RestRequest, RestRow } from './rest-row.ts'

/** Registers the rows of the REST table. Only rows that take forms parse them. */
export async function registerRestRoutes(
  server: FastifyInstance,
  { services, takeTurn, idempotency, unread }: Registration,
): Promise<void> {
  for (const takesForms of [false, true]) {
    await server.register(async routes => {
      routes.addHook('onRequest', createAuthenticationHook(services.authenticate))
      routes.addHook('onRequest', refuseEncodedBody)
      routes.addHook('preHandler', refuseEndedRun)
      routes.addHook('preHandler', unread.refuseWhenFull)
      routes.addHook('onSend', idempotency.storeAnswer)
      routes.addHook('onSend', unread.countAnswer)
      if (takesForms) {
        routes.removeContentTypeParser('application/json')
        routes.addContentTypeParser('application/json', createBodyParser(services, parseTaskBody))
        routes.addContentTypeParser(
          'application/x-www-form-urlencoded',
          createBodyParser(services, parseFormBody),
        )
      }
      for (const row of restRoutes.filter(candidate => candidate.takesForms === takesForms)) {
        const { method, path } = row.operation
        const onRequest = row.startsRun ? [createPlaceHook(services), takeTurn] : [takeTurn]
        const work = method === 'GET' ? null : { mayRun: row.startsRun }
        const preHandler = idempotency.createBeginHook(() => work)
        const handler = createHandler(row, services)
        routes.route({ method, url: path, onRequest, preHandler, handler })
      }
    })
  }
}

// Refuses a run without a place before its body is read. A nested run never waits, so it needs no place.
function createPlaceHook({ holdRunPlace }: HttpServices) {
  return ({ state }: FastifyRequest, _reply: FastifyReply, done: HookDone): void => {
    if (state.identity === null || state.identity.run !== null) return done()
    state.releaseRunPlace = holdRunPlace(state.identity.caller.accountCode)
    state.atEnd(state.releaseRunPlace)
    done()
  }
}

function createHandler(row: RestRow, services: HttpServices) {
  const { document: query, field } = row.operation
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const given = readRequest(request)
    const variables = row.readVariables(given)
    const executing = executeFor(request.state, services, { query, variables })
    const { result, failures } = executing instanceof Promise ? await executing : executing
    const [first] = failures
    if (first !== undefined) {
      const failure = renameFields(first, row.pointersInto(given.body))
      return answerFailure({ request, reply, failure })
    }
    const { status, headers = {}, body } = row.answer(result.data?.[field], given)
    reply.code(status).headers(headers)
    if (body === undefined) return reply.send()
    return reply.type('application/json; charset=utf-8').send(writeJson(body))
  }
}

function readRequest({ params, url, body, headers }: FastifyRequest): RestRequest {
  const queryStart = url.indexOf('?')
  return {
    id: (params as { id?: string }).id ?? '',
    queryString: queryStart === -1 ? '' : url.slice(queryStart + 1),
    body,
    ifMatch: headers['if-match'],
  }
}

// Resolvers use the names of GraphQL, and the caller sent those of REST.
function renameFields(failure: RostrumError, pointers: Readonly<Record<string, string>>): RostrumError {
  if (!failure.fields.some(({ pointer }) => Object.hasOwn(pointers, pointer))) return failure
  return invalidInput(
    failure.fields.map(({ pointer, detail }) => ({ pointer: pointers[pointer] ?? pointer, detail })),
  )
}
