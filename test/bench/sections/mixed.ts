import type { Bench, Report, Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { median } from '../figures/figures.ts'
import { formatNumber, formatTable } from '../figures/table.ts'
import type { LoadResult, Plan } from '../load/plan.ts'
import { type Generator, startGenerator } from '../load/start-generator.ts'
import { type ServerProcess, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const readsPerSecond = 250
// Before the reads are looked at, and after: the other loads are in full swing all the while.
const marginSeconds = 0.5

type Load = Omit<Plan, 'ports' | 'from' | 'seconds'>

export const mixed: Section = {
  title: `${readsPerSecond} reads a second alone, and beside writes, scripts and one account's busy loops`,
  run(bench) {
    return withServers([() => startRostrum({ ...bench, name: 'rostrum' })], async ([server]) => {
      if (server === undefined) throw new Error('The gateway was not started.')
      await compareAnswers({ servers: [server], kind: 'pointRead', token: bench.seed.token })
      const generators = [startGenerator(), startGenerator(), startGenerator()]
      try {
        return await measure(bench, server, generators)
      } finally {
        for (const generator of generators) generator.stop()
      }
    })
  },
}

async function measure(
  bench: Bench,
  server: ServerProcess,
  generators: readonly Generator[],
): Promise<Report> {
  const { token, otherToken } = bench.seed
  const seconds = Math.max(0.5, bench.seconds * 6)
  const rounds = Math.max(1, Math.round(bench.rounds / 3))
  const others: readonly Load[] = [
    { traffic: 'restAdd', connections: 16, perSecond: 100, token },
    { traffic: 'script', connections: 16, perSecond: 100, token },
    { traffic: 'busyLoop', connections: 4, token: otherToken, isCutAtEnd: true },
  ]
  let from = 1_000
  const run = async (generator: Generator, load: Load, forSeconds: number) => {
    const first = from
    from += 100_000
    return generator.run({ ...load, ports: [server.port], from: first, seconds: forSeconds })
  }
  const read = () =>
    run(bench.generator, { traffic: 'pointRead', connections: 64, perSecond: readsPerSecond, token }, seconds)

  await run(
    bench.generator,
    { traffic: 'pointRead', connections: 32, token },
    Math.min(1.5, 3 * bench.seconds),
  )
  const alone: LoadResult[] = []
  const beside: LoadResult[] = []
  const background = others.map(() => [] as LoadResult[])
  for (let round = 0; round < rounds; round++) {
    alone.push(await read())
    const running = Promise.all(
      others.map((load, i) => run(generators[i] ?? bench.generator, load, seconds + 2 * marginSeconds)),
    )
    // Awaited below: a failure before that must not end the bench as an unhandled one.
    running.catch(() => undefined)
    await new Promise(resolve => setTimeout(resolve, marginSeconds * 1000))
    beside.push(await read())
    for (const [i, result] of (await running).entries()) background[i]?.push(result)
  }
  return report({
    alone,
    beside,
    background: background.map((results, i) => [others[i]?.traffic ?? '', results]),
  })
}

interface Results {
  readonly alone: readonly LoadResult[]
  readonly beside: readonly LoadResult[]
  readonly background: readonly (readonly [string, readonly LoadResult[]])[]
}

function report({ alone, beside, background }: Results): Report {
  const of = (results: readonly LoadResult[], pick: (result: LoadResult) => number) =>
    median(results.map(pick))
  const row = (name: string, results: readonly LoadResult[]) => [
    name,
    formatNumber(of(results, ({ requests, seconds }) => requests / seconds)),
    ...[
      of(results, ({ p50Ms }) => p50Ms),
      of(results, ({ p99Ms }) => p99Ms),
      of(results, ({ latenessP99Ms }) => latenessP99Ms),
    ].map(formatNumber),
  ]
  const p99 = (results: readonly LoadResult[]) => of(results, ({ p99Ms }) => p99Ms)
  return {
    tables: [
      formatTable(
        ['', 'requests/s', 'p50 ms', 'p99 ms', 'of it the generator, p99 ms'],
        [
          row('reads alone', alone),
          row('reads beside the others', beside),
          ...background.map(([name, results]) => row(`beside them: ${name}`, results)),
        ],
      ),
    ],
    notes: [
      'Reads start at their pace whether or not earlier ones were answered; their time counts from the planned start.',
      'Busy loops that find no sandbox in time are refused as overloaded, and count as answered.',
    ],
    claims: [
      {
        what: 'Mixed load: p99 of reads, times that of reads alone',
        measured: p99(beside) / p99(alone),
        bound: 3,
        holds: 'at most',
      },
    ],
  }
}
