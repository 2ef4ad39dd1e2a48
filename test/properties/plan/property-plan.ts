import fc from 'fast-check'
import { inject, type TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Cases of a property that passed, for the totals. */
    cases?: number
  }
  interface ProvidedContext {
    /** How many cases the properties have together. */
    propertyCases: number
  }
}

/**
 * All cases of one run of `test/properties`: PROPERTY_CASES in the nightly mode, else what `vitest.config.ts` provides.
 */
export const totalCases = Number(process.env.PROPERTY_CASES ?? inject('propertyCases'))

/** Cases of each property of a hundred; they cost very different times. */
export const shares = {
  rest: 32,
  twoSides: 8,
  execute: 4,
  graphql: 28,
  graphqlParams: 12,
  tokens: 8,
  bytes: 5,
  model: 3,
} as const

// The tests always try the same cases, so that red means a change. The nightly mode tries others each time.
const usualSeed =
  process.env.PROPERTY_CASES === undefined
    ? 20_261_120 + inject('propertyCases')
    : Date.now() ^ (process.pid << 8)
const firstSeed = Number(process.env.PROPERTY_SEED ?? usualSeed) | 0

// What a failure printed, to run that case alone.
const path = process.env.PROPERTY_PATH

const maxShrinks = 500

export function casesOf(property: keyof typeof shares): number {
  return Math.ceil((totalCases * shares[property]) / 100)
}

interface Property<Case> {
  readonly name: keyof typeof shares
  readonly arbitrary: fc.Arbitrary<Case>
  /** Rejects where the property does not hold; `lane` tells apart what runs at the same time. */
  readonly check: (sample: Case, lane: number) => Promise<void>
  /** How many cases are under way at once. */
  readonly lanes?: number
}

/**
 * Checks a property in several lanes at once, each with a seed of its own. A failure prints seed and path; to see it
 * again: `PROPERTY_SEED=… PROPERTY_PATH=… npx vitest run test/properties/<file> -t '<title>'`.
 */
export async function checkProperty<Case>(
  { task }: Pick<TestContext, 'task'>,
  { name, arbitrary, check, lanes = 4 }: Property<Case>,
): Promise<void> {
  const cases = casesOf(name)
  const running = path === undefined ? lanes : 1
  const perLane = Math.ceil(cases / running)
  const bounded = untilFailed(maxShrinks)
  const runs = Array.from({ length: running }, (_, lane) => {
    const property = fc.asyncProperty(arbitrary, sample => bounded(() => check(sample, lane)))
    const again =
      path === undefined ? { seed: firstSeed + lane } : { seed: firstSeed, path, endOnFailure: true }
    return fc.check(property, { numRuns: perLane, ...again })
  })
  const outcomes = await Promise.all(runs)
  for (const outcome of outcomes) {
    if (outcome.failed) throw new Error(describe(name, outcome))
  }
  console.log(`${name}: ${cases} cases from seed ${firstSeed}`)
  task.meta.cases = outcomes.reduce((sum, { numRuns }) => sum + numRuns, 0)
}

// Limits the shrinking of a failing case: past this number, all others pass unchecked.
function untilFailed(most: number) {
  let left = Number.POSITIVE_INFINITY
  return async (check: () => Promise<void>): Promise<void> => {
    left -= 1
    if (left < 0) return
    try {
      await check()
    } catch (error) {
      left = Math.min(left, most)
      throw error
    }
  }
}

function describe<Case>(
  name: string,
  { seed, counterexamplePath, errorInstance }: fc.RunDetails<[Case]>,
): string {
  const error = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return `Repeat with PROPERTY_SEED=${seed} PROPERTY_PATH=${counterexamplePath} (${name}).\n${error}`
}

/** Generous: a case takes some milliseconds, and shrinking a failure many cases. */
export const timeLimitMs = 120_000 + 10 * totalCases
