import type { RunState } from '../../results/run-state.ts'
import { viewCalls } from '../../results/view-calls.ts'
import { viewDifference } from '../../results/view-difference.ts'
import { viewLogs } from '../../results/view-logs.ts'
import { viewRaw, viewResult } from '../../results/view-result.ts'

/** One way to look at a run. */
export interface ResultView {
  readonly name: string
  readonly view: (run: RunState) => unknown
  readonly count?: (run: RunState) => number
}

/** The ways to look at a run, in the order of their keys. */
export const resultViews: readonly ResultView[] = [
  { name: 'Result', view: viewResult },
  { name: 'Difference', view: viewDifference },
  { name: 'Logs', view: viewLogs, count: ({ logs }) => logs.length },
  { name: 'Calls', view: viewCalls, count: ({ calls }) => calls.length },
  { name: 'Raw', view: viewRaw },
]
