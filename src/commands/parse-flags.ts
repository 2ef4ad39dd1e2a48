import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Exit code for a wrong command line (EX_USAGE of sysexits). */
export const usageExitCode = 64

/** A wrong command line. Its message is shown to the user, and the command does nothing. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * Reads the flags of a command, for example of `npm run token --`. Throws `UsageError` for an unknown flag, and for one
 * that is given twice, whose first value would be lost.
 */
export function parseFlags<const Given extends Options>(command: string, argv: string[], options: Given) {
  const { values, tokens } = parse(command, argv, options)
  const asksHelp = (values as { readonly help?: unknown }).help === true
  const repeated = asksHelp ? null : findRepeated(tokens, options)
  if (repeated !== null) throw new UsageError(`\`${repeated}\` is given twice. Give it once.`)
  return values
}

function parse<const Given extends Options>(command: string, argv: string[], options: Given) {
  try {
    return parseArgs({ args: argv, options, strict: true, tokens: true })
  } catch (error) {
    const [reason = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : []
    throw new UsageError(`${reason.replace(/\.$/, '')}. Run \`${command} --help\` for the flags.`)
  }
}

interface Token {
  readonly kind: string
  readonly name?: string
}

/** Returns an option that takes one value and is given twice, as `--name`. Null if there is none. */
export function findRepeated(tokens: readonly Token[], options: Options): string | null {
  const given = new Set<string>()
  for (const { kind, name = '' } of tokens) {
    if (kind !== 'option' || options[name]?.type !== 'string' || options[name].multiple === true) continue
    if (given.has(name)) return `--${name}`
    given.add(name)
  }
  return null
}

/** Reads the flags of a command that has only `--help`. Returns true if it is set. */
export function asksForHelp(command: string, argv: string[]): boolean {
  return parseFlags(command, argv, { help: { type: 'boolean', short: 'h' } }).help ?? false
}
