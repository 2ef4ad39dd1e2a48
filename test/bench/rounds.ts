import type { Figures } from './figures.ts'
import type { Plan } from './load/plan.ts'
import type { Generator } from './load/start-generator.ts'
import { processorTimeOf } from './processor-time.ts'
import type { ServerProcess } from './server-process.ts'

/** One line of a table: a load on a server. */
export interface Case {
  readonly name: string
  readonly server: ServerProcess
  readonly load: Pick<Plan, 'traffic' | 'connections' | 'token'>
}

export interface RoundsParts {
  readonly generator: Generator
  readonly cases: readonly Case[]
  readonly rounds: number
  readonly seconds: number
}

/** Of each case, by name, what each round showed. */
export type Rounds = ReadonlyMap<string, readonly Figures[]>

/**
 * Warms each server up, then loads one after the other, round by round and each round beginning with another one, so that what
 * the machine does meanwhile falls on all of them.
 */
export async function measureRounds({ generator, cases, rounds, seconds }: RoundsParts): Promise<Rounds> {
  const figures = new Map(cases.map(({ name }) => [name, [] as Figures[]]))
  const sent = new Map<string, number>()
  const measure = async ({ server, load }: Case, forSeconds: number): Promise<Figures> => {
    const key = `${server.port} ${load.traffic}`
    const from = sent.get(key) ?? 0
    const before = processorTimeOf(server.pid)
    const result = await generator.run({ ...load, port: server.port, from, seconds: forSeconds })
    const after = processorTimeOf(server.pid)
    sent.set(key, from + result.requests)
    return {
      ...result,
      microseconds: before === null || after === null ? null : (after - before) / result.requests,
      perSecond: result.requests / result.seconds,
    }
  }
  for (const each of cases) await measure(each, Math.min(1.5, seconds))
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const each = cases[(round + i) % cases.length]
      if (each !== undefined) figures.get(each.name)?.push(await measure(each, seconds))
    }
  }
  return figures
}
