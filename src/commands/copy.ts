import { type Environment, readConfig } from '../config.ts'
import { StartError } from '../errors.ts'
import { importQuickly } from '../import-quickly.ts'
import type { TableCopy } from '../store/copy/copy-store.ts'
import { formatTable } from './format-table.ts'
import { parseFlags, UsageError, usageExitCode } from './parse-flags.ts'

const help = `Copies a SQLite store, with its ids, into the empty PostgreSQL database of DATABASE_URL.

  DATABASE_URL=postgres://… npm run --silent copy -- --from sqlite:data/rostrum.db

  --from <url>  the store to copy, \`sqlite:<path>\`; no gateway may serve it
  --help        prints this help

All or nothing: the copy is committed only after every table was read again and compared.
`

const options = { from: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } } as const

/** Runs `copy` with the arguments after its name. Returns the exit code: 0, 1 if it failed, 64 for wrong arguments. */
export async function runCopyCommand(argv: string[], environment: Environment): Promise<number> {
  try {
    process.stdout.write(await execute(argv, environment))
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    if (error instanceof UsageError) return usageExitCode
    // Other errors, such as a connection lost during the commit, leave it unknown whether the copy was made.
    if (error instanceof StartError) process.stderr.write('Nothing was copied.\n')
    return 1
  }
}

async function execute(argv: string[], environment: Environment): Promise<string> {
  const flags = parseFlags('npm run copy --', argv, options)
  if (flags.help) return help
  const [named, ...others] = flags.from ?? []
  if (others.length > 0) throw new UsageError('Name one store to copy: `--from` is given twice.')
  const from = named?.match(/^sqlite:(?!:memory:)(.+)$/)?.[1]
  if (from === undefined) throw new UsageError('Name the store to copy: `--from sqlite:<path>`.')
  const to = readConfig(environment).databaseUrl
  if (to.startsWith('sqlite:')) {
    throw new UsageError('Name the database to copy into: set DATABASE_URL to `postgres://…`.')
  }
  const { copyStore } = await importQuickly(() => import('../store/copy/copy-store.ts'))
  return report(await copyStore({ from, to }))
}

function report(copies: readonly TableCopy[]): string {
  const rows = copies.map(({ name, rows, sha256 }) => [name, String(rows), sha256])
  return `${formatTable([['TABLE', 'ROWS', 'SHA-256'], ...rows])}Copied: both databases hold these rows.\n`
}
