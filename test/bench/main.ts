import { availableParallelism, cpus } from 'node:os'
import { makeTempFolder } from '../server/temp-folder.ts'
import type { Claim } from './claims.ts'
import { FlagError, type Flags, readFlags, usage } from './flags.ts'
import { startGenerator } from './load/start-generator.ts'
import { canReadProcesses } from './processor-time.ts'
import { sections } from './sections.ts'
import { makeSeed } from './seed.ts'
import { formatClaims } from './table.ts'

async function bench({ only, rounds, seconds }: Flags): Promise<void> {
  const started = performance.now()
  const folder = makeTempFolder()
  const generator = startGenerator()
  process.once('exit', () => folder.remove())
  try {
    const seed = await makeSeed(folder.path)
    describeMachine()
    const claims: Claim[] = []
    for (const name of only) {
      const section = sections[name]
      const report = await section.run({ folder: folder.path, seed, generator, rounds, seconds })
      print(`\n## ${name}: ${section.title}\n`)
      print([...report.tables, ...report.notes].join('\n\n'))
      claims.push(...report.claims)
    }
    print(`\n## Bounds\n\n${formatClaims(claims)}`)
    print(`\n${Math.round((performance.now() - started) / 1000)} s in all.`)
  } finally {
    generator.stop()
  }
}

function describeMachine(): void {
  print(
    `${availableParallelism()} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}, ${process.platform}`,
  )
  if (!canReadProcesses) print('No /proc here: processor time and memory are left out.')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

async function main(): Promise<number> {
  try {
    const flags = readFlags(process.argv.slice(2))
    if (flags === null) print(usage)
    else await bench(flags)
    return 0
  } catch (error) {
    const isOurs = error instanceof FlagError
    process.stderr.write(`${isOurs ? error.message : ((error as Error).stack ?? error)}\n`)
    return isOurs ? 2 : 1
  }
}

process.exitCode = await main()
