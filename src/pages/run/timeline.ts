import type { FoundRun } from './find-run.ts'
import type { InnerRun, RunCall } from './run-documents.ts'

/** A run or a call on the time axis of the run that is shown. Times are whole milliseconds, as they are shown. */
export interface Bar {
  readonly name: string
  readonly startMs: number
  readonly durationMs: number
  /** Why its end is unknown; null if it is known. A bar without an end goes to the end of the axis. */
  readonly noEnd: 'lost' | 'not ended' | null
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
  // Nobody knows when a lost run ended. What it started may be known.
  const isLost = run.state === 'LOST'
  const findNoEnd = ({ durationMs, state }: InnerRun): Bar['noEnd'] => {
    if (durationMs !== null) return null
    if (state === 'LOST') return 'lost'
    return run.state === 'RUNNING' ? null : 'not ended'
  }
  const wholeRunMs = run.durationMs ?? (isLost ? 0 : Math.max(0, now - start))
  const own = { name: run.name, isBad: isBad(run), noEnd: findNoEnd(run) }
  const bars: Bar[] = [{ ...times(0, wholeRunMs), ...plain, ...own }]
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
    const facts = { name, depth, runId, isBad: isBad(inner), noEnd: findNoEnd(inner) }
    bars.push({ ...times(innerStart, duration), ...plain, ...facts })
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
  const drawn = bars.map(bar => (bar.noEnd === null ? bar : { ...bar, durationMs: wholeMs - bar.startMs }))
  return { bars: drawn, wholeMs, isCut }
}

const plain = { depth: 0, noEnd: null, runId: null, call: null }

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
