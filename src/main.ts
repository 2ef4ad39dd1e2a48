import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { StartError } from './errors.ts'

// Inside the project, because a user who can write here can change the code anyway. Node's default is a shared folder.
const cacheFolder = fileURLToPath(new URL('../node_modules/.cache/rostrum', import.meta.url))

const usage = `Usage: npm start, or node src/main.ts [command]

  serve    serves the gateway (default); settings come from the environment
  token    creates, lists and revokes API tokens; see \`token --help\`
  copy     copies a SQLite store into PostgreSQL; see \`copy --help\`
  schema   prints the GraphQL schema
`

/** Runs a command and loads only the modules it needs. Returns the exit code, or null if it keeps running. */
async function run([command = 'serve', ...rest]: string[]): Promise<number | null> {
  switch (command) {
    case 'serve': {
      const { serve } = await import('./commands/serve.ts')
      await serve(process.env)
      return null
    }
    case 'token': {
      const { runTokenCommand } = await import('./commands/token.ts')
      return runTokenCommand(rest, process.env)
    }
    case 'copy': {
      const { runCopyCommand } = await import('./commands/copy.ts')
      return runCopyCommand(rest, process.env)
    }
    case 'schema': {
      const { printSortedSchema } = await import('./schema/index.ts')
      process.stdout.write(printSortedSchema())
      return 0
    }
    case '--help':
    case '-h':
    case 'help':
      process.stdout.write(usage)
      return 0
    default:
      process.stderr.write(`There is no command \`${command}\`; \`--help\` lists them.\n`)
      return 2
  }
}

// Stripped and compiled modules, by content and version, make the next start faster. A bad entry is compiled again.
enableCompileCache(cacheFolder)
try {
  const exitCode = await run(process.argv.slice(2))
  if (exitCode !== null) process.exitCode = exitCode
} catch (error) {
  process.stderr.write(
    error instanceof StartError ? `${error.message}\n` : `${(error as Error).stack ?? error}\n`,
  )
  process.exit(1)
}
