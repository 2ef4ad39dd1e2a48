import { parseArgs } from 'node:util'
import { type SectionName, sectionNames } from '../sections.ts'

export interface Flags {
  readonly only: readonly SectionName[]
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly connections: number
  readonly soak: boolean
  readonly soakRuns: number
  readonly soakReads: number
}

export const usage = `Measures the gateway beside its peers on this machine.

  npm run bench                          all sections, in six to ten minutes
  npm run bench -- --only reads,rest     some of them: ${sectionNames.join(', ')}
  npm run bench -- --soak                100,000 runs and 1,000,000 reads, with memory over time

  --rounds <n>        rounds of each comparison, 1 to 100 (7)
  --seconds <s>       load on one server in one round, 0.1 to 600 (0.4)
  --warm-up <s>       maximum load on one server before its first round, 0 to 60 (8)
  --connections <n>   maximum connections of a load, 1 to 64 (64)
  --runs <n>          runs of the soak (100000)
  --reads <n>         reads of the soak (1000000)
`

/** Flags that are not understood; the message says which. */
export class FlagError extends Error {}

/** The flags; null where help is asked for. */
export function readFlags(args: readonly string[]): Flags | null {
  const values = parse(args)
  if (values.help) return null
  return {
    only: readSections(values.only ?? []),
    rounds: readNumber('--rounds', values.rounds ?? '7', { least: 1, most: 100, whole: true }),
    seconds: readNumber('--seconds', values.seconds ?? '0.4', { least: 0.1, most: 600, whole: false }),
    warmUpSeconds: readNumber('--warm-up', values['warm-up'] ?? '8', { least: 0, most: 60, whole: false }),
    connections: readNumber('--connections', values.connections ?? '64', { least: 1, most: 64, whole: true }),
    soak: values.soak ?? false,
    soakRuns: readNumber('--runs', values.runs ?? '100000', { least: 100, most: 1e9, whole: true }),
    soakReads: readNumber('--reads', values.reads ?? '1000000', { least: 100, most: 1e9, whole: true }),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        'warm-up': { type: 'string' },
        connections: { type: 'string' },
        soak: { type: 'boolean' },
        runs: { type: 'string' },
        reads: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new FlagError(error instanceof Error ? error.message : String(error))
  }
}

function readSections(given: readonly string[]): readonly SectionName[] {
  const names = given.flatMap(text => text.split(',')).map(name => name.trim())
  const unknown = names.find(name => !isSectionName(name))
  if (unknown !== undefined) {
    throw new FlagError(`There is no section \`${unknown}\`; take one of ${sectionNames.join(', ')}.`)
  }
  return names.length === 0 ? sectionNames : sectionNames.filter(name => names.includes(name))
}

function isSectionName(name: string): name is SectionName {
  return sectionNames.some(known => known === name)
}

interface Range {
  readonly least: number
  readonly most: number
  readonly whole: boolean
}

function readNumber(flag: string, text: string, { least, most, whole }: Range): number {
  const value = Number(text)
  const isGood = text.trim() !== '' && value >= least && value <= most && (!whole || Number.isInteger(value))
  if (isGood) return value
  throw new FlagError(
    `${flag} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}; it is \`${text}\`.`,
  )
}
