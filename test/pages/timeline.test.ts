import { expect, test } from 'vitest'
import type { InnerRun, KeptRun, RunCall } from '../../src/pages/run/run-documents.ts'
import { layOutTimeline } from '../../src/pages/run/timeline.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 10, 26) + ms).toISOString()
const runOf = (name: string, startMs: number) =>
  ({ id: name, name, outcome: 'EXIT', startedAt: at(startMs), durationMs: 5 }) as const
const callOf = (name: string, startMs: number, run: InnerRun | null = null): RunCall => ({
  name,
  startMs,
  durationMs: 1,
  error: null,
  run,
})

test('a run inside begins after the calls before it, although its time is a whole millisecond', () => {
  const inner = runOf('inner', 101)
  const run = {
    ...runOf('outer', 0),
    durationMs: 200,
    calls: [callOf('viewer', 101.4), callOf('execute', 101.6, inner)],
  } as unknown as KeptRun
  const innermost = { ...runOf('innermost', 100), parent: { id: 'inner', name: 'inner' } }
  const { bars } = layOutTimeline({ run, others: [innermost], hasMore: false }, 0)
  expect(bars.map(({ name, startMs }) => [name, startMs])).toEqual([
    ['outer', 0],
    ['viewer', 101],
    ['inner', 102],
    ['innermost', 102],
  ])
})
