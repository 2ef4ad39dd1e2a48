import type { Figures } from './figures.ts'

/** One line of a table. */
export interface Case {
  readonly name: string
  /** Loads it for so long and says what that showed. */
  readonly measure: (seconds: number) => Promise<Figures>
}

export interface RoundsParts {
  readonly cases: readonly Case[]
  readonly rounds: number
  readonly seconds: number
}

/** Of each case, by name, what each round showed. */
export type Rounds = ReadonlyMap<string, readonly Figures[]>

// V8 optimizes the last of the gateway's functions after some 20,000 requests: until then a read takes twice as much.
const warmRequests = 30_000
const longestWarmUp = 4

/**
 * Warms each case up, then measures one after the other, round by round and each round beginning with another one, so
 * that what the machine does meanwhile falls on all of them.
 */
export async function measureRounds({ cases, rounds, seconds }: RoundsParts): Promise<Rounds> {
  const figures = new Map(cases.map(({ name }) => [name, [] as Figures[]]))
  for (const { measure } of cases) await warmUp(measure, seconds)
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const each = cases[(round + i) % cases.length]
      if (each !== undefined) figures.get(each.name)?.push(await each.measure(seconds))
    }
  }
  return figures
}

async function warmUp(measure: Case['measure'], seconds: number): Promise<void> {
  const longest = Math.min(longestWarmUp, 10 * seconds)
  let requests = 0
  for (let spent = 0; spent < longest && requests < warmRequests; spent += longest / 4) {
    requests += (await measure(longest / 4)).perSecond * (longest / 4)
  }
}
