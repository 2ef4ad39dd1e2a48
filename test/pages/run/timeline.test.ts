import { expect, test } from 'vitest'
import type { InnerRun, KeptRun, RunCall } from '../../../src/pages/run/run-documents.ts'
import { layOutTimeline } from '../../../src/pages/run/timeline.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 10, 26) + ms).toISOString()
const runOf = (name: string, startMs: number) =>
  ({ id: name, name, state: 'ENDED', outcome: 'EXIT', startedAt: at(startMs), durationMs: 5 }) as const
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

test('a lost run has no end, and its bar goes as far as what it started is known', () => {
  const part = { ...runOf('part', 100), parent: { id: 'outer', name: 'outer' } }
  const lost = { ...part, id: 'lost', name: 'lost', state: 'LOST', outcome: null, durationMs: null } as const
  const outer = { ...runOf('outer', 0), state: 'LOST', outcome: null, durationMs: null, calls: [] }
  const run = outer as unknown as KeptRun
  const { bars } = layOutTimeline({ run, others: [part, lost], hasMore: false }, Date.parse(at(3_600_000)))
  expect(bars.map(({ name, startMs, durationMs, noEnd }) => [name, startMs, durationMs, noEnd])).toEqual([
    ['outer', 0, 105, 'lost'],
    ['part', 100, 5, null],
    ['lost', 100, 5, 'lost'],
  ])
})

test('a run inside that was lost, or goes on, takes no time that is known', () => {
  const inner = (name: string, state: 'LOST' | 'RUNNING') => {
    const parent = { id: 'outer', name: 'outer' }
    return { ...runOf(name, 100), state, outcome: null, durationMs: null, parent }
  }
  const others = [inner('lost', 'LOST'), inner('going', 'RUNNING')]
  const endsOf = (state: string) => {
    const run = { ...runOf('outer', 0), state, durationMs: 200, calls: [] } as unknown as KeptRun
    const { bars } = layOutTimeline({ run, others, hasMore: false }, 0)
    return bars.map(({ durationMs, noEnd }) => [durationMs, noEnd])
  }
  const lost = [100, 'lost']
  expect(endsOf('ENDED')).toEqual([[200, null], lost, [100, 'not ended']])
  expect(endsOf('RUNNING')).toEqual([[200, null], lost, [100, null]])
})
