/** A JSON Schema (2020-12), as OpenAPI 3.1 has them. */
export type Schema = Readonly<Record<string, unknown>>

const maxId = Number.MAX_SAFE_INTEGER
// No NUL: a database cannot store it.
export const noNul = '^[^\\u0000]*$'

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const orNull = (type: string, rest: Schema = {}): Schema => ({ type: [type, 'null'], ...rest })
export const listOf = (items: Schema, rest: Schema = {}): Schema => ({ type: 'array', items, ...rest })

/** An object with these required members, and with others if they are given. Unknown members are allowed. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter(name => !optional.includes(name))
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: true,
  }
}

/**
 * One text. It is an `enum`, because generators such as orval make a value, and no type, of an object whose members
 * are all `const`.
 */
const word = (text: string): Schema => ({ type: 'string', enum: [text] })

export const id: Schema = { type: 'integer', format: 'int64', minimum: 1, maximum: maxId }
const time: Schema = { type: 'string', format: 'date-time' }
export const guid: Schema = { type: 'string', format: 'uuid' }
export const hash: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the source.',
}
const label: Schema = orNull('string', { maxLength: 200 })

/** A JSON object of the caller's. */
const anyObject: Schema = { type: 'object', additionalProperties: true }

/** A name or a code (contract, section 1). */
export const nameSchema: Schema = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' }

const caseData: Schema = {
  ...anyObject,
  maxProperties: 10_000,
  description: 'A JSON object of at most 1 MiB and 64 levels.',
}

/** Text that holds JSON, as a form has it. */
const jsonText = (content: Schema): Schema => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: content,
})

/** A JSON document, either as it is or as text that holds it. */
function jsonOrText(description: string, types: readonly string[], content: Schema): Schema {
  return {
    description,
    anyOf: [
      // Validators such as Spectral want `items` wherever a list may be.
      { type: types, additionalProperties: true, ...(types.includes('array') ? { items: {} } : {}) },
      jsonText(content),
    ],
  }
}

const inputDocument = jsonOrText(
  'The input of the script, `payload` to it: a JSON document, or text that holds one.',
  ['object', 'array', 'number', 'boolean', 'null'],
  {},
)
const runOptions = jsonOrText(
  'The options of the script: a JSON object, or text that holds one.',
  ['object'],
  anyObject,
)
const metadata = {
  type: ['object', 'null'],
  properties: { case_type_code: label, account_nickname: label },
  additionalProperties: true,
}

const labels = { 'metadata[case_type_code]': { ...label }, 'metadata[account_nickname]': { ...label } }
const labelNames = Object.keys(labels)
const runFields = { inputDocument, options: runOptions, metadata, ...labels }
const formFields = { inputDocument: jsonText({}), options: jsonText(anyObject) }
const task = {
  name: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' },
  sourceCode: { type: 'string' },
}

/** A form. It has the members of `metadata` as fields of their own, and no field of this name. JSON takes both. */
function form(fields: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  return {
    ...object({ ...fields, ...labels }, [...optional, ...labelNames]),
    not: { required: ['metadata'] },
  }
}

const record = (
  name: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
) => object({ [name]: object(properties, optional) })

const logEntry = object({
  at: time,
  level: { type: 'string', enum: ['debug', 'info', 'warn', 'error'] },
  data: listOf({}, { description: 'The arguments of the call.' }),
})

export const scriptErrorCodes = [
  'SYNTAX',
  'RUNTIME',
  'TIMEOUT',
  'MEMORY',
  'LIMIT',
  'RESULT',
  'NO_OUTCOME',
  'CRASHED',
]

const scriptError = {
  ...object({
    code: { type: 'string', enum: scriptErrorCodes },
    message: { type: 'string' },
    line: orNull('integer'),
    column: orNull('integer'),
    stack: orNull('string'),
    hint: orNull('string'),
  }),
  type: ['object', 'null'],
}

const taskExecution = object({
  id: guid,
  name: { type: 'string' },
  outcome: { type: 'string', enum: ['exit', 'fail', 'error'] },
  payload: { description: 'What `exit` was called with; null for other outcomes.' },
  message: orNull('string', { description: 'What `fail` was called with.' }),
  error: scriptError,
  logs: listOf(logEntry),
  request_context: object({ txnID: { type: 'string' }, txnSource: { type: 'string' } }),
  duration_ms: { type: 'number', minimum: 0 },
})

const membership = { id, user_id: id, team_id: id, leader: orNull('boolean') }
const user = {
  id,
  email: orNull('string', { maxLength: 320, pattern: '^[^@\\s\\u0000]+@[^@\\s\\u0000]+$' }),
  display_name: orNull('string', { minLength: 1, maxLength: 200, pattern: noNul }),
}
const team = { id, name: orNull('string', { minLength: 1, maxLength: 200, pattern: noNul }) }
const caseRecord = {
  id,
  case_type_code: nameSchema,
  data: anyObject,
  version: { type: 'integer', minimum: 1 },
  created_at: time,
  updated_at: time,
}
const functionRecord = {
  id,
  name: nameSchema,
  case_type_code: { anyOf: [nameSchema, { type: 'null' }] },
  live_version: hash,
  version: hash,
  created_at: time,
}
const patchOperation = object(
  { op: { type: 'string' }, path: { type: 'string' }, value: {}, from: { type: 'string' } },
  ['value', 'from'],
)
const moved = object({ user_id: id, team_id: id }, ['user_id', 'team_id'])

/** The schemas that operations name. */
export const schemas: Readonly<Record<string, Schema>> = {
  TeamMembership: object(membership),
  TeamMembershipBody: object({ team_membership: ref('TeamMembership') }),
  TeamMembershipList: object({ team_memberships: listOf(ref('TeamMembership')) }),
  NewTeamMembership: record('team_membership', { user_id: id, team_id: id }),
  MovedTeamMembership: object({
    team_membership: { ...moved, anyOf: [{ required: ['user_id'] }, { required: ['team_id'] }] },
  }),
  User: object(user),
  UserBody: object({ user: ref('User') }),
  SavedUser: record('user', { email: user.email, display_name: user.display_name }, [
    'email',
    'display_name',
  ]),
  Team: object(team),
  TeamBody: object({ team: ref('Team') }),
  SavedTeam: record('team', { name: team.name }, ['name']),
  Case: object(caseRecord),
  CaseBody: object({ case: ref('Case') }),
  CaseList: object({ cases: listOf(ref('Case')) }),
  NewCase: record('case', { case_type_code: nameSchema, data: caseData }),
  CaseData: record('case', { data: caseData }),
  Function: object(functionRecord),
  FunctionBody: object({
    function: object({ ...functionRecord, source_code: { type: 'string' } }),
  }),
  SavedFunctionBody: object({ function: ref('Function') }),
  NewVersion: record(
    'function',
    {
      source_code: { type: 'string', pattern: noNul },
      comment: orNull('string', { maxLength: 1_000, pattern: noNul }),
      make_live: orNull('boolean'),
    },
    ['comment', 'make_live'],
  ),
  Task: object({ ...task, ...runFields }, ['metadata', ...labelNames]),
  TaskForm: form({ ...task, ...formFields }),
  FunctionCall: object({ ...runFields, version: orNull('string') }, [
    'options',
    'metadata',
    'version',
    ...labelNames,
  ]),
  FunctionCallForm: form({ ...formFields, version: { type: 'string' } }, ['options', 'version']),
  CaseTask: object({ params: { ...anyObject, type: ['object', 'null'] }, dry_run: orNull('boolean') }, [
    'params',
    'dry_run',
  ]),
  TaskExecution: taskExecution,
  TaskExecutionBody: object({ task_execution: ref('TaskExecution') }),
  CaseTaskBody: object({
    task_execution: ref('TaskExecution'),
    case: ref('Case'),
    patch: listOf(patchOperation, { description: 'JSON Patch (RFC 6902) of the data.' }),
  }),
  Health: object({ status: word('ok') }),
  Ready: object({ status: word('ready') }),
  Unready: object({
    status: word('not ready'),
    waiting_for: listOf({ type: 'string' }, { minItems: 1 }),
  }),
  QueuedDelivery: record('queued_run', { id: { type: 'string' } }),
}
