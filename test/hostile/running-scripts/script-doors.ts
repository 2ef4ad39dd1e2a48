import { catalogue, type ErrorCode } from '../../../src/errors.ts'
import type { Answer } from '../../server/clients/send-request.ts'
import type { ExecutionBody, GraphqlBody } from '../../server/clients/wire-shapes.ts'
import type { TestServer } from '../../server/gateways/start-server.ts'
import { isWhole } from '../whole-sweeps.ts'

export interface ScriptInput {
  readonly name: string
  readonly sourceCode: string
  /** JSON texts. */
  readonly inputDocument: string
  readonly options: string
  readonly metadata?: { readonly account_nickname?: string; readonly case_type_code?: string }
}

type Execution = ExecutionBody['task_execution']

/** What a caller was answered, whichever door was taken. */
export interface ScriptAnswer {
  /** `exit`, `fail`, `error/<code>` or, where nothing was run, `http/<status>`. */
  readonly outcome: string
  readonly status: number
  /** Null where nothing was run. */
  readonly execution: Omit<Execution, 'request_context' | 'duration_ms'> | null
  readonly text: string
  readonly tookMs: number
}

/** The two entry points for a script. */
export type Door = 'REST' | 'GraphQL'

const doors: readonly Door[] = ['REST', 'GraphQL']

/**
 * The doors that the script at this place of a list goes through. The two share everything after the request is read,
 * so a script takes one of them and the next script the other; `HOSTILE=all` sends each through both.
 */
export function doorsOf(index: number): readonly Door[] {
  return isWhole ? doors : [doors[index % doors.length] ?? 'REST']
}

export interface ScriptRequest {
  readonly server: TestServer
  readonly door: Door
  readonly input: ScriptInput
  readonly token: string
}

/** Sends a script through a door and reads the answer to its end. */
export async function sendScript({ server, door, input, token }: ScriptRequest): Promise<ScriptAnswer> {
  const started = performance.now()
  const read = door === 'REST' ? sendOverRest(server, input, token) : sendOverGraphql(server, input, token)
  const answer = await read
  return { ...answer, tookMs: performance.now() - started }
}

async function sendOverRest(server: TestServer, input: ScriptInput, token: string) {
  const path = '/api/1/endpoint/execute'
  const answer = await server.rest<Partial<ExecutionBody>>('POST', path, { body: input, token })
  return toAnswer(answer, answer.body?.task_execution ?? null, answer.status)
}

const mutation = `mutation ($input: ExecuteTaskInput!) { executeTask(input: $input) {
  id name outcome payload message error { code message line column stack } logs { at level data } } }`

async function sendOverGraphql(server: TestServer, { metadata, ...input }: ScriptInput, token: string) {
  const { account_nickname: accountNickname, case_type_code: caseTypeCode } = metadata ?? {}
  const variables = { input: { ...input, metadata: { accountNickname, caseTypeCode } } }
  const answer = await server.graphql<{ executeTask: Execution | null }>(mutation, variables, token)
  const execution = answer.body?.data?.executeTask ?? null
  return toAnswer(answer, execution && inRestWords(execution), statusOf(answer))
}

// Enum values are upper case in GraphQL and lower case on the REST side.
function inRestWords(execution: Execution): Execution {
  const logs = execution.logs.map(entry => ({ ...entry, level: entry.level.toLowerCase() }))
  return { ...execution, outcome: execution.outcome.toLowerCase() as Execution['outcome'], logs }
}

// Over GraphQL the code tells whether the field itself was refused.
function statusOf({ status, body }: Answer<GraphqlBody<unknown>>): number {
  const code = body?.errors?.[0]?.extensions.code
  return status === 200 && code !== undefined ? catalogue[code as ErrorCode].status : status
}

function toAnswer({ text }: Answer, execution: Execution | null, status: number) {
  return { outcome: wordOf(execution, status), status, execution, text }
}

function wordOf(execution: Execution | null, status: number): string {
  if (execution === null) return `http/${status}`
  return execution.error === null ? execution.outcome : `error/${execution.error.code}`
}
