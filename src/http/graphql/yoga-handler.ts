import type { FastifyRequest } from 'fastify'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { catalogue, type ErrorCode, RostrumError } from '../../errors.ts'
import type { EventStream } from '../../graphql/event-stream.ts'
import { maskError } from '../../graphql/mask-error.ts'
import { toGraphqlError } from '../../graphql/mask-result.ts'
import { writeAnswer } from '../../graphql/write-answer.ts'
import { writeTemplate } from '../../json/json-text.ts'
import { parseText } from '../../json/parse-json.ts'
import { jsonObject, readBody } from '../body/content/read-body.ts'
import { emptyBody } from '../body/json-body.ts'
import { withErrorStatus, withHttpStatus } from '../errors/graphql-status.ts'
import { graphqlPath } from '../paths.ts'
import { executeFor, type HttpServices, subscribeFor } from '../request/http-services.ts'
import { eventStream } from '../request/negotiate-accept.ts'
import type { RequestState } from '../request/request-state.ts'
import { readGraphqlParams } from './read-graphql-params.ts'

export interface YogaContext {
  readonly fastifyRequest: FastifyRequest
  /** Called with a stream that has begun. Yoga has checked the request, but does not write the answer. */
  readonly takeStream: (stream: EventStream) => void
  /** Texts that are inserted into the answer after Yoga has written it. */
  readonly insertions: string[]
}

const anyObject = jsonObject({}, 'a JSON object')

export type YogaHandler = ReturnType<typeof createYogaHandler>

/**
 * GraphQL over HTTP by Yoga, which checks the parameters and negotiates the media type. The engine parses, validates
 * and executes the operation.
 */
export function createYogaHandler(services: HttpServices) {
  return createYoga<YogaContext>({
    graphqlEndpoint: graphqlPath,
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    logging: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    // Passes errors on unchanged. `maskRefusals` masks them, because it knows the request.
    maskedErrors: { maskError: error => (error instanceof Error ? error : new Error(String(error))) },
    plugins: [executeByEngine(services), maskRefusals()],
  })
}

function executeByEngine(services: HttpServices): Plugin<object, YogaContext> {
  return {
    // Takes the body that was parsed before, under our own limits.
    onRequestParse({ serverContext, setRequestParser }) {
      setRequestParser(() => {
        const { fastifyRequest } = serverContext
        const { method, body } = fastifyRequest
        const params = readGraphqlParams(fastifyRequest)
        // No parser reads a request that has no body at all.
        if (params === undefined) throw emptyBody()
        // Yoga refuses a list, which would be a batch.
        if (method === 'POST' && !Array.isArray(body)) readBody(anyObject, body)
        refusePersistedQuery(params)
        fastifyRequest.body = undefined
        return params as GraphQLParams
      })
    },
    onParams({ request, setParamsHandler }) {
      const answerFor = request.headers.get('accept') === eventStream ? subscribeFor : executeFor
      setParamsHandler(async ({ params: { query = '', variables, operationName }, context }) => {
        const { method, state } = context.fastifyRequest
        if (operationName != null && typeof operationName !== 'string') {
          throw new RostrumError('BAD_USER_INPUT', '`operationName` must be text.')
        }
        const operation = { query, variables, operationName, readOnly: method === 'GET' }
        const answer = await answerFor(state, services, operation)
        state.operation = answer.operation
        if ('events' in answer) {
          context.takeStream(answer)
          return { data: null }
        }
        state.isDocumentRefused = answer.refusedBy === 'document'
        const written = writeAnswer(answer, services.maxAnswerBytes).answer
        return withHttpStatus({ ...written, result: leaveHoles(written.result, context.insertions) })
      })
    },
  }
}

// Refuses persisted queries, with the message and the code that their clients know.
function refusePersistedQuery(params: unknown): void {
  const { query, extensions } = (params ?? {}) as Readonly<Record<string, unknown>>
  const { persistedQuery } = (extensions ?? {}) as Readonly<Record<string, unknown>>
  if ((query != null && query !== '') || persistedQuery == null) return
  throw new RostrumError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')
}

function leaveHoles(result: ExecutionResult, insertions: string[]): ExecutionResult {
  const holed = writeTemplate(result.data)
  if (holed.insertions.length === 0) return result
  insertions.push(...holed.insertions)
  return { ...result, data: parseText(holed.text) as Record<string, unknown> }
}

// Errors of the engine have a code of the catalogue and pass. Errors of Yoga or of the parameters get a code and its
// status, unless Yoga set another status.
function maskRefusals(): Plugin<object, YogaContext> {
  return {
    onResultProcess({ result, setResult, setResultProcessor, serverContext }) {
      if (serverContext.fastifyRequest.state.isStream) {
        setResultProcessor((_result, { Response }) => new Response(null), eventStream)
        return
      }
      if (!('errors' in result) || result.errors === undefined) return
      const { state } = serverContext.fastifyRequest
      setResult({
        ...result,
        errors: result.errors.map(error => maskRefusal(error, state)),
      } as ExecutionResult)
    },
  }
}

function maskRefusal(error: GraphQLError, state: RequestState): GraphQLError {
  if (isCode(error.extensions.code)) return error
  const failure = maskError(error, state)
  const status = error.extensions.http?.status ?? catalogue[failure.code].status
  return withErrorStatus(toGraphqlError(failure, error), {
    status,
    ...(error.extensions.http?.headers && { headers: error.extensions.http.headers }),
  })
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(catalogue, code)
}
