import { asksForHelp, UsageError } from './commands/parse-flags.ts'
import { reportFailure, reportLostOutput } from './commands/report-failure.ts'
import { importQuickly } from './import-quickly.ts'

const usage = `Usage: npm start, or node src/start.mjs [command]

  serve    serves the gateway (default); settings come from the environment, see docs/settings.md
  token    creates, lists and revokes API tokens; see \`token --help\`
  copy     copies a SQLite store into PostgreSQL; see \`copy --help\`
  schema   prints the GraphQL schema
  cli      runs the command line \`rostrum\`; see \`npm run --silent rostrum -- --help\`

\`serve\` and \`schema\` have no options but \`--help\`, which prints this.
`

// Nearly every command resolves paths or starts processes, which would end in a stack there.
function refuseRemovedFolder(): void {
  try {
    process.cwd()
  } catch {
    throw new UsageError(
      'The folder that this runs in was removed. Change to one that exists, and start again.',
    )
  }
}

/** Runs a command and loads only the modules it needs. Returns the exit code, or null if it keeps running. */
async function run(argv: string[]): Promise<number | null> {
  refuseRemovedFolder()
  // An option without a command belongs to `serve`.
  const [command, ...rest] = /^[^-]/.test(argv[0] ?? '') ? argv : ['serve', ...argv]
  switch (command) {
    case 'serve': {
      if (asksForHelp('npm start --', rest)) return printUsage()
      const { serve } = await importQuickly(() => import('./commands/serve.ts'))
      await serve(process.env)
      return null
    }
    case 'token': {
      reportLostOutput(' If a token was made, it is the last one of `--list`. Revoke it.')
      const { runTokenCommand } = await importQuickly(() => import('./commands/token.ts'))
      return runTokenCommand(rest, process.env)
    }
    case 'copy': {
      reportLostOutput(' If a copy was made, it is complete.')
      const { runCopyCommand } = await importQuickly(() => import('./commands/copy.ts'))
      return runCopyCommand(rest, process.env)
    }
    case 'schema': {
      if (asksForHelp('node src/start.mjs schema', rest)) return printUsage()
      const { printSortedSchema } = await importQuickly(() => import('./schema/index.ts'))
      return print(printSortedSchema())
    }
    case 'cli': {
      const { runCli } = await import('./cli/run-cli.ts')
      // What a command left open, such as a kept connection, must not keep the process.
      return process.exit(await runCli(rest, process.env))
    }
    case 'help':
      return printUsage()
    default:
      throw new UsageError(`There is no command \`${command}\`; \`--help\` lists them.`)
  }
}

function printUsage(): number {
  return print(usage)
}

function print(text: string): number {
  reportLostOutput()
  process.stdout.write(text)
  return 0
}

try {
  const exitCode = await run(process.argv.slice(2))
  if (exitCode !== null) process.exitCode = exitCode
} catch (error) {
  process.exit(reportFailure(error))
}
