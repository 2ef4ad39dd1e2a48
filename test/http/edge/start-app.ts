import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type App, type AppOptions, createApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { scopes as allScopes, type Scope } from '../../../src/credentials/caller.ts'
import { hashToken, newApiToken } from '../../../src/domain/directory/api-token.ts'
import { patience } from '../../server/processes/patience.ts'
import { until } from '../../server/processes/until.ts'

export interface TestApp {
  readonly app: App
  readonly url: string
  /** An admin's, of account `demo`. */
  readonly adminToken: string
  /** Every statement sent to the store so far, save the question whether the file has changed. */
  readonly statements: string[]
  /** Every line logged so far. */
  readonly logLines: string[]
  issueToken(accountCode: string, scopes?: readonly Scope[]): Promise<string>
  send(path: string, request?: TestRequest): Promise<TestResponse>
  graphql(query: string, variables?: Record<string, unknown>, token?: string): Promise<TestResponse>
  close(): Promise<void>
}

export interface TestRequest {
  readonly method?: string
  readonly token?: string | null
  readonly headers?: Record<string, string>
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests look into
  readonly body: any
}

// What the gateway asks by itself: whether the file has changed, the store answers, and queued runs are due.
const asksOfGateway = [
  /^PRAGMA data_version$/,
  /^SELECT 1 FROM accounts LIMIT 1$/,
  /^select min\(due_at\)/,
  /^select id from queued_runs where state = 'running'/,
]
const isOfGateway = (statement: string) => asksOfGateway.some(asked => asked.test(statement))

function isLookOver(statements: readonly string[]): boolean {
  const look = statements.findIndex(sql => sql.startsWith("update runs set state = 'lost'"))
  return look !== -1 && statements.slice(look).some(sql => /^(commit|rollback)$/i.test(sql))
}

/** The whole application on a free port, with a real SQLite file of its own. */
export async function startApp(
  environment: Record<string, string> = {},
  parts: Pick<AppOptions, 'hasFastPath'> = {},
): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-'))
  const statements: string[] = []
  const logLines: string[] = []
  const config = readConfig({
    DATABASE_URL: `sqlite:${join(folder, 'rostrum.db')}`,
    ...patience,
    ...environment,
  })
  const log = pino({ level: config.logLevel }, { write: line => logLines.push(line) })
  const onStatement = (sql: string) => void (isOfGateway(sql) || statements.push(sql))
  const app = await createApp({ config, log, onStatement, ...parts })
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { createdToken } = await app.prepare()
  // The one look for lost runs of a SQLite store, so that no test counts its statements.
  if (config.databaseUrl.startsWith('sqlite:')) await until(() => isLookOver(statements))
  const adminToken = createdToken ?? environment.ROSTRUM_ADMIN_TOKEN ?? ''

  async function send(
    path: string,
    { method = 'GET', token = adminToken, headers = {}, body }: TestRequest = {},
  ) {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    }
  }

  return {
    app,
    url,
    adminToken,
    statements,
    logLines,
    send,
    graphql: (query, variables, token = adminToken) =>
      send('/graphql', { method: 'POST', token, body: { query, variables } }),
    async issueToken(accountCode, scopes = allScopes.filter(scope => scope !== 'admin')) {
      const token = newApiToken()
      await app.store.accounts.ensure(accountCode)
      const user = await app.store.users.create(accountCode, { email: null, displayName: null })
      const sha256 = hashToken(token)
      await app.store.tokens.create({ accountCode, userId: user.id, label: null, scopes, sha256 })
      return token
    },
    async close() {
      await app.close()
      await rm(folder, { recursive: true })
    },
  }
}
