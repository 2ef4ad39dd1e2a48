import pg from 'pg'
import { parse } from 'pg-connection-string'
import { StartError } from '../../../errors.ts'
import { type Migrating, migrateOrRefuse } from '../migrate.ts'
import { boundBySilence } from '../silence.ts'
import { sqlStateOf } from './sql-state.ts'

const connectMs = 4_000
// Time after which PostgreSQL stops and undoes a statement.
const maxStatementMs = 4_000
// Time after which PostgreSQL ends an idle transaction. Changes at all other gateways may be waiting for it.
const maxIdleTransactionMs = 1_500
// Time after which PostgreSQL ends a connection that takes none of its answer. Until then a statement keeps its locks,
// whatever its other limits: a gateway that hangs while it reads a large answer would keep them as long as it hangs.
const maxUnreadMs = 4_000
// Finds an `@` after a slash, `?` or `#`: the password has such a character unescaped. The URL parser would cut the
// password in two and show a part of it as the host.
const atAfterHost = /^\w+:\/\/[^/?#]*[/?#].*@/
const insufficientPrivilege = '42501'
// Idle time after which TCP checks the connection. Ten seconds later it closes a dead one.
const keepAliveMs = 10_000

// The driver can only read this style of times, lists have nulls, and all tables are in the schema `public`. A database
// or role may have other defaults, and a schema with the name of the role would come before `public`. Transactions have
// to see what others committed while they waited: serializable ones would fail, and miss the migrations of a gateway.
const fixedOptions =
  '-c datestyle=iso -c array_nulls=on -c search_path=public -c default_transaction_isolation=read\\ committed'

// Reads all numbers as JavaScript numbers. Every number in our tables fits into one.
const types: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text'),
}

/**
 * Returns the settings of every connection. It reads the files that the URL names now, because the pool would end the
 * process if one were missing later.
 */
export function connectionTo(url: string) {
  const { options = '', ...given } = parse(url)
  return {
    application_name: 'rostrum',
    statement_timeout: maxStatementMs,
    idle_in_transaction_session_timeout: maxIdleTransactionMs,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types,
    ...(given as object),
    // To compile a statement takes longer than to run it: PostgreSQL would compile a search among many cases each time.
    options: `-c tcp_user_timeout=${maxUnreadMs} -c jit=off ${options} ${fixedOptions}`,
  } satisfies pg.ClientConfig
}

/**
 * Opens a connection to the migrated database, without time limits on statements. If that fails, throws a `StartError`
 * that does not show the password.
 */
export async function connect(
  url: string,
  { onWait = () => {}, migrates = 'all' }: Partial<Migrating> = {},
): Promise<pg.Client> {
  if (atAfterHost.test(url)) throw notUrl()
  try {
    refuseSchema(url)
    return await openMigrated(new pg.Client(connectionTo(url)), { onWait, migrates })
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

// Refuses `?schema=`, which other programs read. The driver ignores it, so the tables would be in another schema.
function refuseSchema(url: string): void {
  if (!('schema' in parse(url))) return
  throw new StartError(
    'The setting DATABASE_URL names a `schema`. Rostrum uses the schema `public`: remove the parameter, and give ' +
      'Rostrum a database of its own.',
  )
}

// Overrides the time limits of the role and the database. Older versions of PostgreSQL lack one of them.
const unbound = `
  select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`

async function openMigrated(client: pg.Client, { onWait, migrates }: Migrating): Promise<pg.Client> {
  // Ignored here: the statement that waits for an answer fails by itself.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(boundBySilence(unbound))
    await refuseOtherEncoding(client)
    await migrateOrRefuse(client, { onWait, migrates })
    return client
  } catch (error) {
    void client.end()
    throw error
  }
}

// Another encoding cannot store every text, and would fail at the first one that it cannot.
async function refuseOtherEncoding(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>(boundBySilence('show server_encoding'))
  const encoding = rows[0]?.server_encoding
  if (encoding === 'UTF8') return
  throw new StartError(
    `The database that DATABASE_URL names has the encoding ${encoding}. Rostrum needs one with UTF8: ` +
      "`create database … encoding 'UTF8' template template0`.",
  )
}

function notUrl(): StartError {
  return new StartError(
    'The setting DATABASE_URL is not a URL: it must be `postgres://user:password@host:port/database`, with ' +
      '`@`, `/`, `?`, `#` and `%` in the password written as `%40`, `%2F`, `%3F`, `%23` and `%25`.',
  )
}

/** Returns the reason of a failure, worded as the end of a sentence. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The driver's own words for this are those of the protocol.
  if (/^SASL: .*client password must be/.test(error.message))
    return 'the server asks for a password, and the URL has none'
  if (/^(timeout expired|Query read timeout)$/.test(error.message)) return 'it does not answer'
  const detail = error instanceof pg.DatabaseError && error.detail ? `: ${error.detail}` : ''
  return `${error.message}${detail}`.replace(/\.$/, '') || codeOf(error) || error.name
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
