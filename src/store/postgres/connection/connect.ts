import pg from 'pg'
import { parse } from 'pg-connection-string'
import { StartError } from '../../../errors.ts'
import { migrate } from '../migrate.ts'
import { sqlStateOf } from './sql-state.ts'

/** After that long without an answer the way to the server is cut, and nobody has said so: no bounded statement takes as long. */
export const mostSilentMs = 6_000

const connectMs = 4_000
// PostgreSQL stops a statement then, and undoes it.
const mostStatementMs = 4_000
// It ends a transaction then of a gateway that has gone silent, since the account's changes at all other gateways may wait for it.
const maxIdleTransactionMs = 1_500
// Such a password is cut in two, and a part of it would be shown as the host that cannot be found.
const atBehindHost = /^\w+:\/\/[^/?#]*[/?#].*@/
const insufficientPrivilege = '42501'
// A connection on which nobody speaks is asked for then whether its other end is there; ten seconds later it is given up.
const keepAliveMs = 10_000

// No number of ours is too large for a double.
const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text'),
}

/**
 * What every connection to the database has in common. The files that the URL names are read here: where one is gone by the time of
 * another connection, the pool would end the process.
 */
export function connectionTo(url: string) {
  return {
    application_name: 'rostrum',
    // The driver reads times in this style alone, and a database may write them in another.
    options: '-c datestyle=iso',
    statement_timeout: mostStatementMs,
    idle_in_transaction_session_timeout: maxIdleTransactionMs,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types,
    ...(parse(url) as object),
  } satisfies pg.ClientConfig
}

/**
 * A connection to the database, migrated, whose statements take as long as they take. `StartError` where it cannot be had; it never
 * repeats the password.
 */
export async function connect(url: string): Promise<pg.Client> {
  if (atBehindHost.test(url)) throw notUrl()
  try {
    return await openMigrated(new pg.Client(connectionTo(url)))
  } catch (error) {
    if (error instanceof StartError) throw error
    if (error instanceof URIError || codeOf(error) === 'ERR_INVALID_URL') throw notUrl()
    const advice =
      sqlStateOf(error) === insufficientPrivilege
        ? 'Make its role the owner of the database.'
        : 'Check the setting, and that PostgreSQL runs.'
    throw new StartError(
      `The database that DATABASE_URL names cannot be opened: ${describeFailure(error)}. ${advice}`,
      { cause: error },
    )
  }
}

// Whatever bounds its role and its database have; older versions lack one of them.
const unbound = `
  select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`

async function openMigrated(client: pg.Client): Promise<pg.Client> {
  // What happens to a connection is told to whoever waits for its answer.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(unbound)
    await migrate(client)
    return client
  } catch (error) {
    void client.end()
    throw error
  }
}

function notUrl(): StartError {
  return new StartError(
    'The setting DATABASE_URL is not a URL: it must be `postgres://user:password@host:port/database`, with `@`, `/`, `?`, `#` and `%` in the password written as `%40`, `%2F`, `%3F`, `%23` and `%25`.',
  )
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message.replace(/\.$/, '') || codeOf(error) || error.name
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
