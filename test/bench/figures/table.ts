import { type Claim, isMet } from './claims.ts'
import { type Figures, medianFigures, medianRatio, processorTime } from './figures.ts'
import type { Rounds } from './rounds.ts'

/** A Markdown table, its columns in line; all but the first are numbers. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map(row => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const dashes = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const rule = `| ${dashes.join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/** How the first of two cases compares with the second. */
export function ratioIn(
  rounds: Rounds,
  [ours, theirs]: readonly [string, string],
  pick: (figures: Figures) => number | null,
): number | null {
  return medianRatio(rounds.get(ours) ?? [], rounds.get(theirs) ?? [], pick)
}

/** The medians of the rounds of each case, and how `ours` compares: the median of its ratios in processor time. */
export function formatRounds(rounds: Rounds, ours: string): string {
  const medians = [...rounds].map(([name, figures]) => [name, medianFigures(figures)] as const)
  const rows = medians.map(([name, figures]) => [
    name,
    ...formatFigures(figures),
    name === ours ? '1' : formatNumber(ratioIn(rounds, [ours, name], processorTime)),
  ])
  const table = formatTable(['', 'processor µs', 'requests/s', 'p50 ms', 'p99 ms', 'first ÷ this'], rows)
  return medians.some(([, figures]) => isGeneratorBound(figures))
    ? `${table}\n\n* The load generator was at its own limit: this server can answer more.`
    : table
}

// Processor time stays true then; requests a second and latencies are those of the generator.
const isGeneratorBound = ({ generatorShare }: Figures) => generatorShare > 0.95

function formatFigures(figures: Figures): string[] {
  const { microseconds, perSecond, p50Ms, p99Ms } = figures
  return [
    formatNumber(microseconds),
    `${Math.round(perSecond).toLocaleString('en')}${isGeneratorBound(figures) ? '*' : ''}`,
    formatNumber(p50Ms),
    formatNumber(p99Ms),
  ]
}

/** Three digits that count. */
export function formatNumber(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

export function formatClaims(claims: readonly Claim[]): string {
  const rows = claims.map(claim => {
    const unit = claim.unit === undefined ? '' : ` ${claim.unit}`
    const verdict = isMet(claim)
    return [
      claim.what,
      `${formatNumber(claim.measured)}${unit}`,
      `${claim.holds} ${formatNumber(claim.bound)}${unit}`,
      verdict === null ? 'unknown' : verdict ? 'met' : 'not met',
    ]
  })
  return formatTable(['', 'measured', 'bound', ''], rows)
}
