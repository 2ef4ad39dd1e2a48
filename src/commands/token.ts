import type { parseArgs } from 'node:util'
import { type Environment, readConfig } from '../config.ts'
import { scopes as allScopes, isScope, operatorScopes, type Scope } from '../credentials/caller.ts'
import { describeBadEmail, describeBadLabel, describeBadName } from '../domain/directory/directory.ts'
import { parseId } from '../domain/id.ts'
import { checkAccountCode } from '../domain/name.ts'
import type { Store } from '../domain/store.ts'
import { hasCode, StartError } from '../errors.ts'
import { openStore } from '../store/open-store.ts'
import { issueToken } from './issue-token.ts'
import { parseExpiry } from './parse-expiry.ts'
import { parseFlags, UsageError, usageExitCode } from './parse-flags.ts'
import { formatTokens } from './token-table.ts'

const help = `Creates an API token and prints only the token. Only its hash is stored, so it is shown once.

  npm run --silent token -- --account beta --email ann@example.com --scope tasks:execute

  --account <code>   the account, created if missing
  --email <address>  the user with this email, created if missing
  --user <id>        the user with this id instead, created if missing
                     (without both, a new user)
  --name <name>      display name of the user
  --scope <scope>    ${allScopes.join(', ')}; repeatable or comma-separated
                     (default: all except admin and metrics:read)
  --label <text>     what the token is for, shown by --list
  --expires <when>   90d is in 90 days, 2027-01-31 is the end of that day in UTC,
                     2027-01-31T18:00:00Z is that time (default: never)

  --list             lists tokens with their expiry and the day of their last use
                     in UTC, only of --account if given
  --revoke <id>      revokes the token with this id, only of --account if given
  --help             prints this help
`

const options = {
  account: { type: 'string' },
  email: { type: 'string' },
  user: { type: 'string' },
  name: { type: 'string' },
  scope: { type: 'string', multiple: true },
  label: { type: 'string' },
  expires: { type: 'string' },
  list: { type: 'boolean' },
  revoke: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/**
 * Runs `token` with the arguments after its name (contract, section 5). Returns the exit code: 0, 1 if it failed, 64
 * for wrong arguments. A gateway may serve the same store at the same time.
 */
export async function runTokenCommand(argv: string[], environment: Environment): Promise<number> {
  try {
    process.stdout.write(await execute(argv, environment))
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError || hasCode(error, 'BAD_USER_INPUT')
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return isUsage ? usageExitCode : 1
  }
}

async function execute(argv: string[], environment: Environment): Promise<string> {
  const flags = parseFlags('npm run token --', argv, options)
  if (flags.help) return help
  const action = chooseAction(flags)
  const { databaseUrl } = readConfig(environment)
  const needsStore = flags.list === true || flags.revoke !== undefined
  const missing = await findMissing(databaseUrl)
  if (needsStore && missing !== null) throw missing
  const store = await openStore({ url: databaseUrl, migrates: needsStore ? 'none' : 'unused' })
  try {
    const output = await action(store)
    // Shows the store on standard error, so that a forgotten DATABASE_URL is noticed. Standard output is the token
    // alone.
    const made = missing === null ? '' : ', which is new: this command made it'
    if (!flags.list) process.stderr.write(`Store: ${describeStore(databaseUrl)}${made}\n`)
    return output
  } finally {
    await store.close()
  }
}

// Describes the store without its user and password.
function describeStore(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl
  const url = URL.parse(databaseUrl)
  return url === null ? 'PostgreSQL' : `${url.protocol}//${url.host}${url.pathname}`
}

// Returns the error for a SQLite store that does not exist; null for any other. Only issuing a token may create one.
async function findMissing(databaseUrl: string): Promise<UsageError | null> {
  const path = databaseUrl.match(/^sqlite:(?!:memory:)(.+)$/)?.[1]
  if (path === undefined) return null
  const { refuseMissingFile } = await import('../store/sqlite/connection/file-checks.ts')
  try {
    refuseMissingFile(path, 'DATABASE_URL')
    return null
  } catch (error) {
    if (error instanceof StartError) return new UsageError(error.message)
    throw error
  }
}

// Checks all flags and returns the action. The store is not open yet, so a bad flag changes nothing.
function chooseAction(flags: Flags): (store: Store) => Promise<string> {
  refuseStrayFlags(flags)
  const accountCode = flags.account === undefined ? null : checkAccountCode(flags.account)
  if (flags.list) return async store => formatTokens(await store.tokens.list(accountCode))
  if (flags.revoke !== undefined) {
    const id = parseId(flags.revoke, 'token id')
    return store => revoke({ store, id, accountCode })
  }
  if (accountCode === null)
    throw new UsageError('Name the account of the token: `npm run token -- --account <code>`.')
  const request = {
    accountCode,
    scopes: parseScopes(flags.scope),
    userId: flags.user === undefined ? null : parseId(flags.user, 'user id'),
    email: check({ flag: 'email', value: flags.email, problem: describeBadEmail(flags.email) }),
    displayName: check({ flag: 'name', value: flags.name, problem: describeBadName(flags.name) }),
    label: check({ flag: 'label', value: flags.label, problem: describeBadLabel(flags.label) }),
    expiresAt: flags.expires === undefined ? null : parseExpiry(flags.expires),
  }
  return async store => `${await issueToken(store, request)}\n`
}

// Refuses flags that the action does not use, because the operator may have meant something by them.
function refuseStrayFlags(flags: Flags): void {
  const action = flags.list ? 'list' : 'revoke'
  if (!flags.list && flags.revoke === undefined) return
  const stray = Object.keys(flags).find(flag => flag !== action && flag !== 'account')
  if (stray === undefined) return
  throw new UsageError(`\`--${action}\` and \`--${stray}\` cannot be combined. Use one of them.`)
}

interface Revocation {
  readonly store: Store
  readonly id: number
  /** If not null, only a token of this account is revoked. */
  readonly accountCode: string | null
}

async function revoke({ store, id, accountCode }: Revocation): Promise<string> {
  if (await store.tokens.revoke(id, accountCode)) return `Token \`${id}\` is revoked.\n`
  const tokens = await store.tokens.list(accountCode)
  if (tokens.some(token => token.id === id)) return `Token \`${id}\` was revoked before.\n`
  throw new Error(`There is no token \`${id}\` to revoke. Run \`npm run token -- --list\` to see the tokens.`)
}

function parseScopes(given: readonly string[] | undefined): Scope[] {
  if (given === undefined)
    return allScopes.filter(scope => scope !== 'admin' && !operatorScopes.includes(scope))
  const scopes = new Set<Scope>()
  for (const text of given.join().split(',')) {
    const scope = text.trim()
    if (!isScope(scope))
      throw new UsageError(`\`${scope}\` is not a scope. The scopes are ${allScopes.join(', ')}.`)
    scopes.add(scope)
  }
  return [...scopes]
}

interface Checked {
  readonly flag: string
  readonly value: string | undefined
  readonly problem: string | null
}

function check({ flag, value, problem }: Checked): string | null {
  if (problem !== null) throw new UsageError(`\`--${flag}\` ${problem}.`)
  return value ?? null
}
