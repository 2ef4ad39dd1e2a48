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
import { executeFor, type Gateway } from '../request/gateway.ts'
import type { Registration } from '../request/take-turn.ts'
import { restRoutes } from './rest-routes.ts'
import type { RestRequest, RestRow } from './rest-row.ts'

/** Registers the rows of the REST table, those that take forms apart: no other path parses them. */
export async function registerRestRoutes(
  server: FastifyInstance,
  { gateway, takeTurn, idempotency, unread }: Registration,
): Promise<void> {
  for (const takesForms of [false, true]) {
    await server.register(async scope => {
      scope.addHook('onRequest', createAuthenticationHook(gateway.authenticate))
      scope.addHook('onRequest', refuseEncodedBody)
      scope.addHook('preHandler', refuseEndedRun)
      scope.addHook('preHandler', unread.refuseWhenFull)
      scope.addHook('onSend', idempotency.keepAnswer)
      scope.addHook('onSend', unread.countAnswer)
      if (takesForms) {
        scope.removeContentTypeParser('application/json')
        scope.addContentTypeParser('application/json', createBodyParser(gateway, parseTaskBody))
        scope.addContentTypeParser(
          'application/x-www-form-urlencoded',
          createBodyParser(gateway, parseFormBody),
        )
      }
      for (const row of restRoutes.filter(candidate => candidate.takesForms === takesForms)) {
        const { method, path } = row.operation
        const onRequest = row.startsRun ? [createPlaceHook(gateway), takeTurn] : [takeTurn]
        const work = method === 'GET' ? null : { mayRun: row.startsRun }
        const preHandler = idempotency.createBeginHook(() => work)
        const handler = createHandler(row, gateway)
        scope.route({ method, url: path, onRequest, preHandler, handler })
      }
    })
  }
}

// One run too many is refused before its body is read. A run inside a run never waits, and needs no place.
function createPlaceHook({ holdRunPlace }: Gateway) {
  return ({ scope }: FastifyRequest, _reply: FastifyReply, done: HookDone): void => {
    if (scope.identity === null || scope.identity.run !== null) return done()
    scope.releaseRunPlace = holdRunPlace(scope.identity.caller.accountCode)
    scope.atEnd(scope.releaseRunPlace)
    done()
  }
}

function createHandler(row: RestRow, gateway: Gateway) {
  const { document: query, field } = row.operation
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const given = readRequest(request)
    const variables = row.readVariables(given)
    const executing = executeFor(request.scope, gateway, { query, variables })
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

// Resolvers name fields as GraphQL does; the caller sent the REST side's names.
function renameFields(failure: RostrumError, pointers: Readonly<Record<string, string>>): RostrumError {
  if (!failure.fields.some(({ pointer }) => Object.hasOwn(pointers, pointer))) return failure
  return invalidInput(
    failure.fields.map(({ pointer, detail }) => ({ pointer: pointers[pointer] ?? pointer, detail })),
  )
}
