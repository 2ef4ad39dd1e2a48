import { type Answers, json, markReplayed, pick, refuse, refuseScript } from './answers.ts'
import { examples } from './examples.ts'
import {
  bodyOrForm,
  caseTypeCode,
  type DocumentedOperation,
  gone,
  hookCodes,
  idempotencyKey,
  ifMatch,
  links,
  name,
  parameter,
  reads,
  runFailed,
  writes,
  written,
} from './operation-parts.ts'
import { nameSchema, noNul, ref } from './schemas.ts'

const runAnswers: Answers = {
  200: {
    description:
      'The script called `exit`. With `Accept: text/event-stream` every outcome is a stream of events.',
    headers: pick('Idempotency-Replayed'),
    content: {
      'application/json': { schema: ref('TaskExecutionBody'), example: examples.execution },
      'text/event-stream': {
        schema: { type: 'string' },
        example: `event: end\ndata: ${JSON.stringify(examples.execution)}\n\n`,
      },
    },
  },
  422: runFailed('The script called `fail` or ended in an error.', ['TOO_DEEP']),
}

export const scripts: readonly DocumentedOperation[] = [
  {
    ...{ method: 'post', path: '/api/1/endpoint/execute', id: 'executeTask', tag: 'Scripts' },
    ...{ summary: 'Runs a script', scope: 'tasks:execute', parameters: [idempotencyKey] },
    body: bodyOrForm(['Task', examples.task], ['TaskForm', examples.taskForm]),
    answers: { ...runAnswers, ...writes() },
  },
  {
    ...{ method: 'post', path: '/api/1/function/{name}/execute', id: 'runFunction', tag: 'Scripts' },
    ...{ summary: 'Runs a function', scope: 'tasks:execute', parameters: [name, idempotencyKey] },
    body: bodyOrForm(
      ['FunctionCall', examples.functionCall],
      ['FunctionCallForm', examples.functionCallForm],
    ),
    answers: { ...runAnswers, ...writes(404) },
  },
]

const functionPath = '/platform/functions/{name}'
const source = { 'text/javascript': { schema: { type: 'string' }, example: examples.source } }
const ofFunction = { tag: 'Functions', path: functionPath } as const
const functionIfMatch = {
  ...ifMatch,
  example: `"${examples.savedFunction.function.live_version}"`,
}

export const functions: readonly DocumentedOperation[] = [
  {
    ...{ ...ofFunction, method: 'get', id: 'getFunction', scope: 'functions:read' },
    ...{ summary: 'Reads a function and its live source', parameters: [name, caseTypeCode] },
    answers: {
      200: {
        description: 'The function, or its source alone if that is accepted.',
        headers: pick('ETag'),
        content: {
          'application/json': { schema: ref('FunctionBody'), example: examples.function },
          ...source,
        },
      },
      ...reads(404),
    },
  },
  {
    ...{ ...ofFunction, method: 'put', id: 'saveFunction', scope: 'functions:write' },
    summary: 'Saves a version of a function',
    parameters: [
      name,
      caseTypeCode,
      parameter('query', 'comment', { type: 'string', maxLength: 1_000, pattern: noNul }),
      parameter('query', 'make_live', { type: 'boolean' }),
      functionIfMatch,
      parameter(
        'header',
        'If-None-Match',
        { type: 'string', const: '*' },
        {
          description: '`*`: the function must not exist.',
        },
      ),
      idempotencyKey,
    ],
    body: {
      required: true,
      content: {
        'application/json': { schema: ref('NewVersion'), example: examples.newVersion },
        'text/javascript': {
          schema: { type: 'string', minLength: 1, pattern: '^[^\\u0000]+$' },
          example: examples.source,
        },
      },
    },
    answers: {
      200: json('The function, which was there.', 'SavedFunctionBody', examples.savedFunction, written),
      201: {
        ...json('The new function.', 'SavedFunctionBody', examples.savedFunction, written),
        ...links('function', ['getFunction', 'saveFunction', 'deleteFunction'], ['name', 'case_type_code']),
      },
      ...writes(412),
      422: markReplayed(
        refuseScript('The source does not compile; `line` and `column` say where.', ['SYNTAX']),
      ),
    },
  },
  {
    ...{ ...ofFunction, method: 'delete', id: 'deleteFunction', scope: 'functions:write' },
    ...{ summary: 'Removes a function', parameters: [name, caseTypeCode, functionIfMatch, idempotencyKey] },
    answers: { ...gone, ...writes(404, 412) },
  },
]

const openly = refuse(400, 417, 429, 431, 500)
export const others: readonly DocumentedOperation[] = [
  {
    ...{
      method: 'post',
      path: '/api/1/webhook/{account_nickname}/{name}',
      id: 'deliverWebhook',
      tag: 'Webhooks',
    },
    ...{ summary: 'Delivers a message, which its signature vouches for', scope: null },
    parameters: [parameter('path', 'account_nickname', nameSchema), name],
    body: { required: false, content: { '*/*': { schema: {}, example: { action: 'opened' } } } },
    answers: {
      200: {
        description:
          'What the function exited with, now or for the first delivery; no body if that was too long to keep.',
        headers: pick('Idempotency-Replayed'),
        content: { 'application/json': { schema: {}, example: { ok: true } } },
      },
      202: json('The run is queued.', 'QueuedDelivery', examples.queued),
      ...refuse(400, 401, 408, 409, 413, 415, 417, 429, 431, 500, 503),
      422: refuseScript('The function called `fail`, or failed.', hookCodes),
    },
  },
  {
    ...{ method: 'get', path: '/health', id: 'getHealth', tag: 'Operating', scope: null },
    summary: 'Says whether the process lives',
    answers: { 200: json('It lives.', 'Health', { status: 'ok' }), ...openly },
  },
  {
    ...{ method: 'get', path: '/ready', id: 'getReady', tag: 'Operating', scope: null },
    summary: 'Says whether the gateway can serve',
    answers: {
      200: json('It can.', 'Ready', { status: 'ready' }),
      ...openly,
      503: json('It waits for these.', 'Unready', { status: 'not ready', waiting_for: ['store'] }),
    },
  },
]
