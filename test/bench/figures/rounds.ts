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
  readonly warmUpSeconds: number
}

/** Of each case, by name, what each round showed. */
export type Rounds = ReadonlyMap<string, readonly Figures[]>

// V8 optimizes the last of the gateway's functions after thousands of requests: until then a read takes twice as much.
// A case that answers few requests a second would take minutes to reach them. Each case warms its server up by itself:
// of two servers, one that several cases load would else be compared with one that is cold.
const warmRequests = 60_000
const longestOfSlow = 5
const fastPerSecond = 1_000

/**
 * Warms each case up, then measures one after the other, round by round and each round beginning with another one, so
 * that what the machine does meanwhile falls on all of them.
 */
export async function measureRounds({ cases, rounds, seconds, warmUpSeconds }: RoundsParts): Promise<Rounds> {
  const figures = new Map(cases.map(({ name }) => [name, [] as Figures[]]))
  for (const { measure } of cases) await warmUp(measure, seconds, warmUpSeconds)
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const each = cases[(round + i) % cases.length]
      if (each !== undefined) figures.get(each.name)?.push(await each.measure(seconds))
    }
  }
  return figures
}

async function warmUp(measure: Case['measure'], seconds: number, most: number): Promise<void> {
  const stretch = Math.min(1, 2.5 * seconds)
  let requests = 0
  let longest = most
  for (let spent = 0; spent < longest && requests < warmRequests; spent += stretch) {
    const { perSecond } = await measure(stretch)
    requests += perSecond * stretch
    if (perSecond < fastPerSecond) longest = Math.min(longestOfSlow, most)
  }
}
