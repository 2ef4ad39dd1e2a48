import type { Language } from './language.ts'

type Graphql = (query: string, variables: object) => Promise<unknown>

interface Answer {
  data?: Record<string, unknown> | null
  errors?: { message: string; extensions?: { code?: string } }[]
}

/**
 * Gives the `Platform` object of an account: each method one GraphQL document, field names as on the REST side (contract,
 * section 4). A GraphQL error rejects with its message, and its code as `code`. Runs inside the isolate as text.
 */
export function makePlatform(language: Language, graphql: Graphql) {
  const { Error, TypeError, freeze, shield, stringify } = language

  const ask = async (document: string, variables: object, field: string): Promise<unknown> => {
    // Made here, so that its stack shows the script's own line and not the answer's arrival.
    const failure = new Error('')
    const answer = (await graphql(document, variables)) as Answer
    const first = answer.errors?.[0]
    if (first === undefined) return answer.data?.[field]
    failure.message = first.message
    ;(failure as Error & { code?: string | undefined }).code = first.extensions?.code
    throw failure
  }

  type Row = Record<string, unknown>
  const integer = (id: unknown): number => +(id as string)
  const membership = (row: Row) => ({
    id: integer(row.id),
    user_id: integer(row.userId),
    team_id: integer(row.teamId),
    leader: row.leader,
  })
  const user = (row: Row) => ({ id: integer(row.id), email: row.email, display_name: row.displayName })
  const team = (row: Row) => ({ id: integer(row.id), name: row.name })
  // Enum values are upper case in GraphQL and lower case on the REST side.
  const wordOf: Row = {
    EXIT: 'exit',
    FAIL: 'fail',
    DEBUG: 'debug',
    INFO: 'info',
    WARN: 'warn',
    ERROR: 'error',
  }
  const logEntries = (entries: Row[]) => {
    const list: object[] = []
    for (let i = 0; i < entries.length; i++) {
      const { at, level, data } = entries[i] as Row
      list[i] = { at, level: wordOf[level as string], data }
    }
    return list
  }
  const execution = (row: Row) => ({
    id: row.id,
    name: row.name,
    outcome: wordOf[row.outcome as string],
    payload: row.payload,
    message: row.message,
    error: row.error,
    logs: logEntries(row.logs as Row[]),
    request_context: row.requestContext,
    duration_ms: row.durationMs,
  })

  const orNull = (value: unknown, shape: (row: Row) => object) =>
    value === null || value === undefined ? null : shape(value as Row)
  const text = (value: unknown) => (typeof value === 'string' ? value : stringify(value))
  const fields = '{ id userId teamId leader }'
  // In the names that the script used: what the gateway says is in GraphQL's.
  const isId = (value: unknown) => typeof value === 'number' || typeof value === 'string'
  const readPair = (given: Row, isWhole: boolean): Row => {
    const input: Row = {}
    const read = (name: string, field: string) => {
      const value = given?.[name]
      if (value === undefined && !isWhole) return
      if (!isId(value))
        throw new TypeError(`\`${name}\` must be the integer id of a ${name === 'user_id' ? 'user' : 'team'}`)
      input[field] = value
    }
    read('user_id', 'userId')
    read('team_id', 'teamId')
    return input
  }

  const teamMemberships = shield({
    async get(id: unknown) {
      const query = `query ($id: ID!) { teamMembership(id: $id) ${fields} }`
      return orNull(await ask(query, { id }, 'teamMembership'), membership)
    },
    async list(ids: unknown) {
      const query = `query ($ids: [ID!]!) { teamMemberships(ids: $ids) ${fields} }`
      const rows = (await ask(query, { ids }, 'teamMemberships')) as Row[]
      const list: object[] = []
      for (let i = 0; i < rows.length; i++) list[i] = membership(rows[i] as Row)
      return list
    },
    async add(pair: Row) {
      const query = `mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) ${fields} }`
      return membership((await ask(query, { input: readPair(pair, true) }, 'addTeamMembership')) as Row)
    },
    async move(id: unknown, change: Row) {
      const query = `mutation ($id: ID!, $input: MoveTeamMembershipInput!) { moveTeamMembership(id: $id, input: $input) ${fields} }`
      return membership(
        (await ask(query, { id, input: readPair(change, false) }, 'moveTeamMembership')) as Row,
      )
    },
    async remove(id: unknown) {
      const query = `mutation ($id: ID!) { removeTeamMembership(id: $id) ${fields} }`
      return membership((await ask(query, { id }, 'removeTeamMembership')) as Row)
    },
  })

  const users = shield({
    async get(id: unknown) {
      const query = 'query ($id: ID!) { user(id: $id) { id email displayName } }'
      return orNull(await ask(query, { id }, 'user'), user)
    },
  })

  const teams = shield({
    async get(id: unknown) {
      const query = 'query ($id: ID!) { team(id: $id) { id name } }'
      return orNull(await ask(query, { id }, 'team'), team)
    },
  })

  const tasks = shield({
    async execute(task: Row) {
      const metadata = task?.metadata as Row | null | undefined
      const input = {
        name: task?.name,
        sourceCode: task?.sourceCode,
        inputDocument: text(task?.inputDocument),
        options: text(task?.options ?? {}),
        metadata: {
          caseTypeCode: metadata?.case_type_code ?? task?.['metadata[case_type_code]'] ?? null,
          accountNickname: metadata?.account_nickname ?? task?.['metadata[account_nickname]'] ?? null,
        },
      }
      const query = `mutation ($input: ExecuteTaskInput!) { executeTask(input: $input) {
        id name outcome payload message error { code message line column stack } logs { at level data }
        requestContext { txnID txnSource } durationMs } }`
      return execution((await ask(query, { input }, 'executeTask')) as Row)
    },
  })

  return (accountCode: string) => freeze({ accountCode, teamMemberships, users, teams, tasks })
}
