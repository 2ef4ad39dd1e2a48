import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { scopes as allScopes, isScope, type Scope } from '../credentials/caller.ts'
import { checkAccountCode } from '../domain/directory/account-code.ts'
import { describeBadEmail, describeBadName } from '../domain/directory/directory.ts'
import { parseId } from '../domain/id.ts'
import type { Store } from '../domain/store.ts'
import { RostrumError } from '../errors.ts'
import { openStore } from '../store/open-store.ts'
import { issueToken } from './issue-token.ts'
import { formatTokens } from './token-table.ts'

const help = `Makes an API token and prints it alone; only its hash is stored, so it is shown this once.

  npm run --silent token -- --account beta --email ann@example.com --scope tasks:execute

  --account <code>   the account, made if missing
  --email <address>  the user with this email, made if missing
  --user <id>        the user with this id instead, made if missing
                     (with neither, a new user)
  --name <name>      display name to give the user
  --scope <scope>    ${allScopes.join(', ')}; repeatable or comma-separated
                     (default: all but admin)

  --list             lists tokens, of --account alone if given
  --revoke <id>      makes the token of this id worthless (of --account alone if given)
  --help             prints this
`

const options = {
  account: { type: 'string' },
  email: { type: 'string' },
  user: { type: 'string' },
  name: { type: 'string' },
  scope: { type: 'string', multiple: true },
  list: { type: 'boolean' },
  revoke: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** A command line that cannot be followed; its message is the line to show. */
class UsageError extends Error {}

/**
 * Runs `token` with the arguments after its name, and gives the exit code: 0, 1 where it failed, 2 where the arguments
 * are wrong (contract, section 5). A gateway may serve the same store meanwhile.
 */
export async function runTokenCommand(
  argv: string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  try {
    process.stdout.write(await answer(argv, environment))
    return 0
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof RostrumError
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return isUsage ? 2 : 1
  }
}

async function answer(
  argv: string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const flags = parseFlags(argv)
  if (flags.help) return help
  const act = chooseAction(flags)
  const store = await openStore({ url: readConfig(environment).databaseUrl })
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

function parseFlags(argv: string[]): Flags {
  try {
    return parseArgs({ args: argv, options, strict: true }).values
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : []
    throw new UsageError(`${reason.replace(/\.$/, '')}. Run \`npm run token -- --help\` for the flags.`)
  }
}

// Checks everything before the store is opened, so that a bad flag changes nothing.
function chooseAction(flags: Flags): (store: Store) => Promise<string> {
  refuseStrayFlags(flags)
  const accountCode = flags.account === undefined ? null : checkAccountCode(flags.account)
  if (flags.list) return async store => formatTokens(await store.tokens.list(accountCode))
  if (flags.revoke !== undefined) {
    const id = parseId(flags.revoke, 'token id')
    return store => revoke({ store, id, accountCode })
  }
  if (accountCode === null) throw new UsageError('Name the account of the token: `--account <code>`.')
  const request = {
    accountCode,
    scopes: parseScopes(flags.scope),
    userId: flags.user === undefined ? null : parseId(flags.user, 'user id'),
    email: check({ flag: 'email', value: flags.email, problem: describeBadEmail(flags.email) }),
    displayName: check({ flag: 'name', value: flags.name, problem: describeBadName(flags.name) }),
  }
  return async store => `${await issueToken(store, request)}\n`
}

// A flag that would be ignored may be what the operator meant.
function refuseStrayFlags(flags: Flags): void {
  const action = flags.list ? 'list' : 'revoke'
  if (!flags.list && flags.revoke === undefined) return
  const stray = Object.keys(flags).find(flag => flag !== action && flag !== 'account')
  if (stray === undefined) return
  throw new UsageError(`\`--${action}\` and \`--${stray}\` do not go together. Give one of them.`)
}

interface Revocation {
  readonly store: Store
  readonly id: number
  /** Where it is given, a token of another account is left alone. */
  readonly accountCode: string | null
}

async function revoke({ store, id, accountCode }: Revocation): Promise<string> {
  if (await store.tokens.revoke(id, accountCode)) return `Token \`${id}\` is revoked.\n`
  throw new Error(
    `There is no token \`${id}\` to revoke. Run \`npm run token -- --list\` for those there are.`,
  )
}

function parseScopes(given: readonly string[] | undefined): Scope[] {
  if (given === undefined) return allScopes.filter(scope => scope !== 'admin')
  const scopes = new Set<Scope>()
  for (const text of given.join().split(',')) {
    const scope = text.trim()
    if (!isScope(scope))
      throw new UsageError(`\`${scope}\` is not a scope; those are ${allScopes.join(', ')}.`)
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
