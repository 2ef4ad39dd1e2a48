import postgres, { type Sql } from 'postgres'
import { StartError } from '../../errors.ts'
import { migrate } from './migrate.ts'
import { createOpenSocket } from './open-socket.ts'

const mostConnections = 10

// PostgreSQL stops a statement then, and undoes it; and a transaction of a gateway that has gone silent, which others wait for.
const mostStatementMs = 4_000
const mostIdleTransactionMs = 10_000
// Longer than any statement takes.
const mostSilentMs = 6_000
const connectMs = 4_000

interface Connect {
  readonly url: string
  readonly onStatement: ((sql: string) => void) | undefined
  /** Whether no statement may take long, as where somebody waits for the answer. */
  readonly isBounded?: boolean
}

/** A pool of connections to the database, migrated. `StartError` where that fails; it never repeats the password. */
export async function connect(options: Connect): Promise<Sql> {
  // By a connection of its own: a migration takes as long as it takes, and waits for those of other gateways.
  const client = openPool(options, { max: 1 })
  try {
    await migrate(client)
    await client.end()
    return openPool(options, { max: mostConnections, ...(options.isBounded && boundsFor(options.url)) })
  } catch (error) {
    await client.end({ timeout: 1 })
    if (error instanceof StartError) throw error
    throw new StartError(
      `The database that DATABASE_URL names cannot be opened: ${describeFailure(error)}. Check the setting, and that PostgreSQL runs.`,
      { cause: error },
    )
  }
}

// A lost connection is tried again after a tenth of a second, so that a database that comes back is in use again at once, and calls
// that wait for one that is gone are told soon. Without `fetch_types` a connection starts without asking for types we do not use.
function openPool({ url, onStatement }: Connect, options: postgres.Options<Record<never, never>>): Sql {
  try {
    return postgres(url, {
      ...options,
      fetch_types: false,
      connect_timeout: connectMs / 1_000,
      backoff: () => 0.1,
      connection: { application_name: 'rostrum', ...options.connection },
      onnotice: () => {},
      ...(onStatement && { debug: (_connection, sql) => onStatement(sql) }),
    })
  } catch {
    throw new StartError(
      'The setting DATABASE_URL is not a URL: it must be `postgres://user:password@host:port/database`.',
    )
  }
}

function boundsFor(url: string) {
  const connection = {
    statement_timeout: mostStatementMs,
    idle_in_transaction_session_timeout: mostIdleTransactionMs,
  }
  // Of several hosts the driver takes one that answers, but only where it opens the sockets itself.
  const hasOneHost = !/^[^/]*\/\/[^/]*,/.test(url)
  return { connection, ...(hasOneHost && { socket: createOpenSocket({ connectMs, mostSilentMs }) }) }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message !== '') return error.message.replace(/\.$/, '')
  return 'code' in error ? String(error.code) : error.name
}
