import type { FoundRun } from './find-run.ts'
import type { InnerRun, RunCall } from './run-documents.ts'

/** A run or a call on the time axis of the run that is shown. Times are whole milliseconds, as they are shown. */
export interface Bar {
  readonly name: string
  readonly startMs: number
  readonly durationMs: number
  /** 0 for the run itself. */
  readonly depth: number
  readonly isBad: boolean
  /** The run inside that the bar stands for; null for the run itself and for calls. */
  readonly runId: string | null
  /** The call that the bar stands for, and its number from 1. */
  readonly call: { readonly number: number; readonly call: RunCall } | null
}

export interface Timeline {
  /** By their start. */
  readonly bars: readonly Bar[]
  /** The end of the axis. */
  readonly wholeMs: number
  /** True if there are more runs inside than bars. */
  readonly isCut: boolean
}

const maxDepth = 8
const maxBars = 300

/** Lays out a run, the runs inside it and its calls. `now` ends what goes on, in milliseconds since 1970. */
export function layOutTimeline({ run, others, hasMore }: FoundRun, now: number): Timeline {
  const start = Date.parse(run.startedAt)
  const wholeRunMs = run.durationMs ?? Math.max(0, now - start)
  const bars: Bar[] = [{ ...times(0, wholeRunMs), ...plain, name: run.name, isBad: isBad(run) }]
  const seen = new Set([run.id])
  let isCut = hasMore

  // Times of runs are whole milliseconds of a clock. A run does not begin before what started it, `earliestMs`.
  const addRun = (inner: InnerRun, depth: number, earliestMs: number): void => {
    if (seen.has(inner.id)) return
    if (depth > maxDepth || bars.length >= maxBars) {
      isCut = true
      return
    }
    seen.add(inner.id)
    const innerStart = Math.max(earliestMs, Date.parse(inner.startedAt) - start)
    const { id: runId, name } = inner
    const duration = inner.durationMs ?? Math.max(0, wholeRunMs - innerStart)
    bars.push({ ...times(innerStart, duration), ...plain, name, depth, runId, isBad: isBad(inner) })
    addRunsOf(runId, depth + 1, innerStart)
  }
  const addRunsOf = (parentId: string, depth: number, earliestMs: number): void => {
    for (const other of others) if (other.parent?.id === parentId) addRun(other, depth, earliestMs)
  }

  for (const [index, call] of run.calls.entries()) {
    if (call.run !== null) addRun(call.run, 1, call.startMs)
    else {
      const duration = call.durationMs ?? Math.max(0, wholeRunMs - call.startMs)
      const own = { name: call.name, depth: 1, isBad: call.error !== null, call: { number: index + 1, call } }
      bars.push({ ...plain, ...times(call.startMs, duration), ...own })
    }
  }
  addRunsOf(run.id, 1, 0)
  bars.sort((one, other) => one.startMs - other.startMs || one.depth - other.depth)
  const wholeMs = Math.max(1, ...bars.map(({ startMs, durationMs }) => startMs + durationMs))
  return { bars, wholeMs, isCut }
}

const plain = { depth: 0, runId: null, call: null }

function times(startMs: number, durationMs: number): Pick<Bar, 'startMs' | 'durationMs'> {
  return { startMs: Math.round(startMs), durationMs: Math.round(durationMs) }
}

function isBad({ outcome }: InnerRun): boolean {
  return outcome === 'FAIL' || outcome === 'ERROR'
}

/** Returns how long the run waited for its calls, in milliseconds. Calls at the same time count once. */
export function timeInCalls({
  calls,
  durationMs,
}: {
  calls: readonly RunCall[]
  durationMs: number
}): number {
  let sum = 0
  let from = 0
  for (const { startMs, durationMs: takes } of calls) {
    const end = Math.min(durationMs, takes === null ? durationMs : startMs + takes)
    sum += Math.max(0, end - Math.max(from, startMs))
    from = Math.max(from, end)
  }
  return sum
}
