/** What one stretch of load showed of one server. */
export interface Figures {
  /** Processor time a request of all processes of the server, in microseconds; null where the kernel does not tell. */
  readonly microseconds: number | null
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly generatorShare: number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Figure by figure, the median of the rounds. */
export function medianFigures(rounds: readonly Figures[]): Figures {
  const of = (pick: (figures: Figures) => number) => median(rounds.map(pick))
  return {
    microseconds: rounds.some(({ microseconds }) => microseconds === null)
      ? null
      : of(({ microseconds }) => microseconds ?? 0),
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    generatorShare: of(({ generatorShare }) => generatorShare),
  }
}

/**
 * The median of the ratios of one server to another, round by round: what slows the machine for a while slows both in
 * that round. Null where a figure is missing.
 */
export function medianRatio(
  ours: readonly Figures[],
  theirs: readonly Figures[],
  pick: (figures: Figures) => number | null,
): number | null {
  const ratios = ours.map((figures, round) => {
    const other = theirs[round]
    const [a, b] = [pick(figures), other === undefined ? null : pick(other)]
    return a === null || b === null ? null : a / b
  })
  return ratios.includes(null) ? null : median(ratios.map(Number))
}

export const processorTime = ({ microseconds }: Figures) => microseconds
export const throughput = ({ perSecond }: Figures) => perSecond
