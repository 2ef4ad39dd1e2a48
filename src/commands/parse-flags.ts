import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Exit code for a wrong command line (EX_USAGE of sysexits). */
export const usageExitCode = 64

/** A wrong command line. Its message is shown to the user, and the command does nothing. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>

/** Reads the flags of a command, for example of `npm run token --`. Throws `UsageError` for an unknown flag. */
export function parseFlags<const Given extends Options>(command: string, argv: string[], options: Given) {
  try {
    return parseArgs({ args: argv, options, strict: true }).values
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : []
    throw new UsageError(`${reason.replace(/\.$/, '')}. Run \`${command} --help\` for the flags.`)
  }
}

/** Reads the flags of a command that has only `--help`. Returns true if it is set. */
export function asksForHelp(command: string, argv: string[]): boolean {
  return parseFlags(command, argv, { help: { type: 'boolean', short: 'h' } }).help ?? false
}
