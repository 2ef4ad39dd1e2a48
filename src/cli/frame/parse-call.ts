import { parseArgs } from 'node:util'
import { findRepeated } from '../../commands/parse-flags.ts'
import { wrongUse } from './cli-error.ts'
import type { Command } from './command.ts'
import { suggestNearest } from './suggest-nearest.ts'

const help = { help: { type: 'boolean', short: 'h' } } as const

/** The arguments and options of a call. */
export interface ParsedCall {
  readonly args: readonly string[]
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
}

/** Reads the arguments of a command. Throws an error that names a wrong, repeated or incomplete option. */
export function parseCall(name: string, { options, args: [min, max] }: Command, argv: string[]): ParsedCall {
  const known: Command['options'] = { ...options, ...help }
  const { tokens, values, positionals } = parseArgs({
    args: argv,
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) if (token.kind === 'option') checkOption(name, token, known)
  if (values.help === true) return { args: positionals, values }
  const repeated = findRepeated(tokens, known)
  if (repeated !== null) throw wrongUse(`\`${repeated}\` is given twice. Give it once.`)
  if (positionals.length < min || positionals.length > max)
    throw wrongUse(countArguments(name, positionals, [min, max]))
  return { args: positionals, values }
}

/** An option as it was typed. */
interface Typed {
  readonly name: string
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function checkOption(command: string, typed: Typed, known: Command['options']): void {
  const option = Object.hasOwn(known, typed.name) ? known[typed.name] : undefined
  if (option === undefined) throw wrongUse(unknownOption(command, typed.rawName, Object.keys(known)))
  if (option.type === 'string' && (typed.value === undefined || isOption(typed)))
    throw wrongUse(`\`${typed.rawName}\` needs a value. See \`rostrum ${command} --help\`.`)
  if (option.type === 'boolean' && typed.value !== undefined)
    throw wrongUse(`\`${typed.rawName}\` takes no value. See \`rostrum ${command} --help\`.`)
}

// `--input --json` forgets the value; `--input=--json` and `--input -` do not.
function isOption({ value, inlineValue }: Typed): boolean {
  return inlineValue !== true && value !== undefined && value.startsWith('-') && value !== '-'
}

function unknownOption(command: string, typed: string, names: readonly string[]): string {
  const hint = suggestNearest(
    typed.replace(/^-+/, '--'),
    names.map(name => `--${name}`),
  )
  return `\`rostrum ${command}\` has no option \`${typed}\`.${hint} See \`rostrum ${command} --help\`.`
}

function countArguments(
  command: string,
  given: readonly string[],
  [min, max]: readonly [number, number],
): string {
  const see = `See \`rostrum ${command} --help\`.`
  if (given.length < min) return `\`rostrum ${command}\` needs an argument. ${see}`
  if (max === 0) return `\`rostrum ${command}\` takes no argument, and got \`${given[0]}\`. ${see}`
  return `\`rostrum ${command}\` takes at most ${max} argument${max === 1 ? '' : 's'}, and got ${given.length}. ${see}`
}
