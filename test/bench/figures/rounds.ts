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

const longestWarmUp = 1.5

/**
 * Warms each case up, then measures one after the other, round by round and each round beginning with another one, so
 * that what the machine does meanwhile falls on all of them.
 */
export async function measureRounds({ cases, rounds, seconds }: RoundsParts): Promise<Rounds> {
  const figures = new Map(cases.map(({ name }) => [name, [] as Figures[]]))
  for (const { measure } of cases) await measure(Math.min(longestWarmUp, 3 * seconds))
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < cases.length; i++) {
      const each = cases[(round + i) % cases.length]
      if (each !== undefined) figures.get(each.name)?.push(await each.measure(seconds))
    }
  }
  return figures
}
