import { UsageError } from './parse-flags.ts'

const dayMs = 86_400_000
const maxDays = 3_650
const forms = `\`1d\` to \`${maxDays}d\`, a day as \`2027-01-31\`, or a time as \`2027-01-31T18:00:00Z\``

/**
 * Reads the value of `token --expires` (contract, section 9): a number of days from now, a day in UTC (valid to its
 * end), or a time. Throws `UsageError` for any other text and for a time in the past.
 */
export function parseExpiry(text: string, now = Date.now()): Date {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? []
  const time = days === undefined ? readTime(text) : readDays(Number(days), now)
  if (time === null) throw new UsageError(`\`--expires\` cannot be \`${text}\`. It takes ${forms}.`)
  if (time <= now) throw new UsageError(`\`--expires\` must be in the future; \`${text}\` is past.`)
  return new Date(time)
}

function readDays(days: number, now: number): number | null {
  return days >= 1 && days <= maxDays ? now + days * dayMs : null
}

function readTime(text: string): number | null {
  const [, day = '', hour] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const start = Date.parse(`${day}T00:00:00Z`)
  // Refuses days that do not exist: `Date` reads 30 February as 2 March.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(day)) return null
  if (hour === undefined) return start + dayMs
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
