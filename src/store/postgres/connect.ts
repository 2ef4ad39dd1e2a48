import postgres, { type Sql } from 'postgres'
import { StartError } from '../../errors.ts'
import { migrate } from './migrate.ts'

const mostConnections = 10

interface Connect {
  readonly url: string
  readonly onStatement: ((sql: string) => void) | undefined
}

/** A pool of connections to the database, migrated. `StartError` where that fails; it never repeats the password. */
export async function connect({ url, onStatement }: Connect): Promise<Sql> {
  const client = openPool({ url, onStatement })
  try {
    await migrate(client)
    return client
  } catch (error) {
    await client.end({ timeout: 1 })
    if (error instanceof StartError) throw error
    throw new StartError(
      `The database that DATABASE_URL names cannot be opened: ${describeFailure(error)}. Check the setting, and that PostgreSQL runs.`,
      { cause: error },
    )
  }
}

// After a lost connection the next is tried within a second, so that a database that comes back is in use again at once.
// Without `fetch_types` a connection starts without asking for types we do not use.
function openPool({ url, onStatement }: Connect): Sql {
  try {
    return postgres(url, {
      max: mostConnections,
      fetch_types: false,
      connect_timeout: 10,
      backoff: attempts => Math.min(2 ** attempts / 100, 1),
      connection: { application_name: 'rostrum' },
      onnotice: () => {},
      ...(onStatement && { debug: (_connection, sql) => onStatement(sql) }),
    })
  } catch {
    throw new StartError(
      'The setting DATABASE_URL is not a URL: it must be `postgres://user:password@host:port/database`.',
    )
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message !== '') return error.message.replace(/\.$/, '')
  return 'code' in error ? String(error.code) : error.name
}
