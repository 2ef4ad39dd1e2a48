import { keyPattern } from '../domain/idempotency/key-rule.ts'
import { type Answers, guarded, json, pick, refuse, refuseScript, withBody } from './answers.ts'
import { examples } from './examples.ts'
import { nameSchema, ref, type Schema } from './schemas.ts'

/** An operation of the document. */
export interface DocumentedOperation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With parameters in braces. */
  readonly path: string
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** The scope that it needs; null for an operation without a credential. */
  readonly scope: string | null
  readonly parameters?: readonly object[]
  /** Content by media type. */
  readonly body?: { readonly content: object; readonly required: boolean }
  readonly answers: Answers
}

const parameter = (place: string, name: string, schema: Schema, more: object = {}) => ({
  name,
  in: place,
  required: place === 'path',
  schema,
  ...more,
})

const id = parameter('path', 'id', {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
})
const ids = parameter(
  'query',
  'ids[]',
  {
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    minItems: 1,
    maxItems: 1_000,
  },
  { required: true, style: 'form', explode: true, example: [1, 2] },
)
const name = parameter('path', 'name', nameSchema)
const ifMatch = parameter(
  'header',
  'If-Match',
  { type: 'string' },
  {
    description: 'The `ETag` of a read: the record must not have changed since.',
    example: '"1"',
  },
)
const idempotencyKey = parameter(
  'header',
  'Idempotency-Key',
  { type: 'string', pattern: keyPattern.source },
  {
    description: 'The same request under the same key is done once. It is kept for 24 hours.',
    example: '6f1d8c1e-3c44-4f8b-9a53-6b1f0e7f2f10',
  },
)
const caseTypeCode = parameter('query', 'case_type_code', nameSchema, {
  description: 'The case type of the function; without it the function without a case type.',
})

const jsonBody = (schema: string, example: unknown, required = true) => ({
  required,
  content: { 'application/json': { schema: ref(schema), example } },
})
const bodyOrForm = (
  [schema, example]: readonly [string, unknown],
  [form, formExample]: readonly [string, unknown],
) => ({
  required: true,
  content: {
    'application/json': { schema: ref(schema), example },
    'application/x-www-form-urlencoded': { schema: ref(form), example: formExample },
  },
})

const reads = (...more: readonly number[]) => refuse(...guarded, ...more)
// A key may belong to another request.
const writes = (...more: readonly number[]) => refuse(...guarded, ...withBody, 409, ...more)
const gone = { 204: { description: 'Done.', headers: pick('Idempotency-Replayed') } }
const hookCodes = ['SCRIPT_FAILED', 'SCRIPT_ERROR', 'TOO_DEEP'] as const
const byHooks = { 422: refuseScript('A hook refused the change, or failed.', hookCodes) }

// What follows from a new record, by its id in the answer.
const links = (record: string, operations: readonly string[]) => ({
  links: Object.fromEntries(
    operations.map(operationId => [
      operationId,
      { operationId, parameters: { id: `$response.body#/${record}/id` } },
    ]),
  ),
})

const written = ['ETag', 'Idempotency-Replayed'] as const
const created = ['Location', ...written] as const

const membershipPath = '/platform/team_memberships'
const memberships: readonly DocumentedOperation[] = [
  {
    ...{ method: 'get', path: membershipPath, id: 'listTeamMemberships', tag: 'Memberships' },
    ...{
      summary: 'Lists the memberships with these ids that exist, in this order',
      scope: 'memberships:read',
    },
    parameters: [ids],
    answers: { 200: json('The memberships.', 'TeamMembershipList', examples.memberships), ...reads() },
  },
  {
    ...{ method: 'get', path: `${membershipPath}/{id}`, id: 'getTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Reads a membership', scope: 'memberships:read', parameters: [id] },
    answers: {
      200: json('The membership.', 'TeamMembershipBody', examples.membership, ['ETag']),
      ...reads(404),
    },
  },
  {
    ...{ method: 'post', path: membershipPath, id: 'createTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Adds a user to a team', scope: 'memberships:write', parameters: [idempotencyKey] },
    body: jsonBody('NewTeamMembership', examples.newMembership),
    answers: {
      201: {
        ...json('The new membership.', 'TeamMembershipBody', examples.membership, created),
        ...links('team_membership', ['getTeamMembership', 'updateTeamMembership', 'deleteTeamMembership']),
      },
      ...writes(),
    },
  },
  {
    ...{ method: 'put', path: `${membershipPath}/{id}`, id: 'updateTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Moves a membership to another user or team', scope: 'memberships:write' },
    parameters: [id, ifMatch, idempotencyKey],
    body: jsonBody('MovedTeamMembership', examples.movedMembership),
    answers: {
      200: json('The membership.', 'TeamMembershipBody', examples.membership, written),
      ...writes(404, 412),
    },
  },
  {
    ...{ method: 'delete', path: `${membershipPath}/{id}`, id: 'deleteTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Removes a user from a team', scope: 'memberships:write' },
    parameters: [id, ifMatch, idempotencyKey],
    answers: { ...gone, ...writes(404, 412) },
  },
]

const directory: readonly DocumentedOperation[] = [
  {
    ...{ method: 'get', path: '/platform/users/{id}', id: 'getUser', tag: 'Users and teams' },
    ...{ summary: 'Reads a user', scope: 'memberships:read', parameters: [id] },
    answers: { 200: json('The user.', 'UserBody', examples.user), ...reads(404) },
  },
  {
    ...{ method: 'put', path: '/platform/users/{id}', id: 'saveUser', tag: 'Users and teams' },
    ...{ summary: 'Saves details of a user, who is made if there is none', scope: 'memberships:write' },
    parameters: [id, idempotencyKey],
    body: jsonBody('SavedUser', examples.savedUser),
    answers: { 200: json('The user.', 'UserBody', examples.user, ['Idempotency-Replayed']), ...writes() },
  },
  {
    ...{ method: 'get', path: '/platform/teams/{id}', id: 'getTeam', tag: 'Users and teams' },
    ...{ summary: 'Reads a team', scope: 'memberships:read', parameters: [id] },
    answers: { 200: json('The team.', 'TeamBody', examples.team), ...reads(404) },
  },
  {
    ...{ method: 'put', path: '/platform/teams/{id}', id: 'saveTeam', tag: 'Users and teams' },
    ...{ summary: 'Saves the name of a team, which is made if there is none', scope: 'memberships:write' },
    parameters: [id, idempotencyKey],
    body: jsonBody('SavedTeam', examples.savedTeam),
    answers: { 200: json('The team.', 'TeamBody', examples.team, ['Idempotency-Replayed']), ...writes() },
  },
]

const casePath = '/platform/cases'
const casesWritten = { ...writes(404, 412), ...byHooks }
const cases: readonly DocumentedOperation[] = [
  {
    ...{ method: 'get', path: casePath, id: 'listCases', tag: 'Cases', scope: 'cases:read' },
    ...{ summary: 'Lists the cases with these ids that exist, in this order', parameters: [ids] },
    answers: { 200: json('The cases.', 'CaseList', examples.cases), ...reads() },
  },
  {
    ...{ method: 'get', path: `${casePath}/{id}`, id: 'getCase', tag: 'Cases', scope: 'cases:read' },
    ...{ summary: 'Reads a case', parameters: [id] },
    answers: { 200: json('The case.', 'CaseBody', examples.case, ['ETag']), ...reads(404) },
  },
  {
    ...{ method: 'post', path: casePath, id: 'createCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Creates a case', parameters: [idempotencyKey] },
    body: jsonBody('NewCase', examples.newCase),
    answers: {
      201: {
        ...json('The new case.', 'CaseBody', examples.case, created),
        ...links('case', ['getCase', 'replaceCase', 'mergeCase', 'deleteCase']),
      },
      ...writes(),
      ...byHooks,
    },
  },
  {
    ...{ method: 'put', path: `${casePath}/{id}`, id: 'replaceCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Replaces the data of a case', parameters: [id, ifMatch, idempotencyKey] },
    body: jsonBody('CaseData', examples.caseData),
    answers: { 200: json('The case.', 'CaseBody', examples.case, written), ...casesWritten },
  },
  {
    ...{ method: 'patch', path: `${casePath}/{id}`, id: 'mergeCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Merges into the data of a case (RFC 7396)', parameters: [id, ifMatch, idempotencyKey] },
    body: jsonBody('CaseData', examples.caseData),
    answers: { 200: json('The case.', 'CaseBody', examples.case, written), ...casesWritten },
  },
  {
    ...{ method: 'delete', path: `${casePath}/{id}`, id: 'deleteCase', tag: 'Cases', scope: 'cases:write' },
    ...{ summary: 'Deletes a case', parameters: [id, ifMatch, idempotencyKey] },
    answers: { ...gone, ...casesWritten },
  },
  {
    ...{ method: 'post', path: '/api/1/case/{id}/task/{name}', id: 'runCaseTask', tag: 'Cases' },
    ...{ summary: 'Runs a task on a case and saves what it exits with', scope: 'cases:write' },
    parameters: [id, name, ifMatch, idempotencyKey],
    body: jsonBody('CaseTask', examples.caseTask, false),
    answers: {
      200: json('The script called `exit`.', 'CaseTaskBody', examples.caseTaskAnswer, written),
      ...writes(404, 412),
      422: runFailed(
        'The script called `fail` or ended in an error, or a hook refused the change.',
        hookCodes,
      ),
    },
  },
]

/** A run that did not end in `exit`, or a problem document with one of these codes. */
function runFailed(description: string, codes: Parameters<typeof refuseScript>[1]) {
  const { content } = refuseScript(description, codes)
  return {
    description,
    headers: pick('Idempotency-Replayed'),
    content: {
      'application/json': { schema: ref('TaskExecutionBody'), example: examples.failed },
      ...content,
    },
  }
}

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

const scripts: readonly DocumentedOperation[] = [
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
  example: '"5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"',
}

const functions: readonly DocumentedOperation[] = [
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
      parameter('query', 'comment', { type: 'string', maxLength: 1_000, pattern: '^[^\\u0000]*$' }),
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
        links: Object.fromEntries(
          ['getFunction', 'saveFunction', 'deleteFunction'].map(operationId => [
            operationId,
            {
              operationId,
              parameters: {
                name: '$response.body#/function/name',
                case_type_code: '$response.body#/function/case_type_code',
              },
            },
          ]),
        ),
      },
      ...writes(412),
      422: refuseScript('The source does not compile; `line` and `column` say where.', ['SYNTAX']),
    },
  },
  {
    ...{ ...ofFunction, method: 'delete', id: 'deleteFunction', scope: 'functions:write' },
    ...{ summary: 'Removes a function', parameters: [name, caseTypeCode, functionIfMatch, idempotencyKey] },
    answers: { ...gone, ...writes(404, 412) },
  },
]

const openly = refuse(400, 417, 429, 431, 500)
const others: readonly DocumentedOperation[] = [
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
        description: 'What the function exited with, now or for the first delivery of the message.',
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

/** The operations of the REST side, in the order of the document. */
export const operations: readonly DocumentedOperation[] = [
  ...memberships,
  ...directory,
  ...cases,
  ...scripts,
  ...functions,
  ...others,
]
