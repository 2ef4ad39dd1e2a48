import type { Bench, Report } from '../cases/section.ts'
import { median } from '../figures/figures.ts'
import { formatNumber, formatTable } from '../figures/table.ts'
import type { Plan } from '../load/plan.ts'
import type { QueueServer } from './queue-reader.ts'

// A run has ended long before the next save.
const savesASecond = 20
const maxSeconds = 3
const warmUpSaves = 10
// Apart from those of the backlogs.
const firstSave = 1_000_000

const boundsMs: Readonly<Record<string, number>> = { SQLite: 10, PostgreSQL: 20 }

const note = `The time to the start of a run counts from its case event, which is just before the commit. Both times are
in whole milliseconds. There is one save at a time.`

/** The time from each case event to the start of the run that it caused, alone. */
export async function reportStartDelays(bench: Bench, own: readonly QueueServer[]): Promise<Report> {
  const all: [string, number[]][] = []
  for (const each of own) all.push([each.server.name, await measureDelays(bench, each)])
  const claims = all.map(([name, delays]) => ({
    what: `Queue, ${name}: median from the commit to the start of the run`,
    measured: median(delays),
    bound: boundsMs[name] ?? Number.NaN,
    unit: 'ms',
    holds: 'at most' as const,
  }))
  return { tables: [formatDelays(all)], notes: [note], claims }
}

async function measureDelays(
  { generator, rounds, seconds, seed: { token } }: Bench,
  { server, queue }: QueueServer,
): Promise<number[]> {
  const requests = Math.ceil(savesASecond * Math.min(maxSeconds, rounds * seconds))
  const load: Omit<Plan, 'from' | 'requests'> = {
    traffic: 'queuedCaseSave',
    ports: [server.port],
    token,
    connections: 1,
    seconds: 0,
    perSecond: savesASecond,
  }
  await generator.run({ ...load, from: firstSave, requests: warmUpSaves })
  await queue.whenEmpty()
  const before = await queue.countDone()
  await generator.run({ ...load, from: firstSave + warmUpSaves, requests })
  await queue.whenEmpty()
  const delays = await queue.readDelays(before)
  if (delays.length !== requests) throw new Error(`${requests} saves caused ${delays.length} good runs.`)
  return delays
}

function formatDelays(all: readonly (readonly [string, readonly number[]])[]): string {
  const rows = all.map(([name, delays]) => {
    const ninetieth = delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.9)] ?? Number.NaN
    return [
      name,
      ...[median(delays), ninetieth, Math.max(...delays)].map(formatNumber),
      String(delays.length),
    ]
  })
  return formatTable(['case event to the start of its run, ms', 'median', 'p90', 'most', 'saves'], rows)
}
