import { expect, test } from 'vitest'
import type { KeptRun } from '../../../src/pages/run/run-documents.ts'
import { explainNoLog, explainNoReplay, explainNoResult } from '../../../src/pages/run/run-outcome.ts'

const explain = (facts: Partial<KeptRun>) => {
  const run = { logs: [], options: {}, ...facts } as unknown as KeptRun
  return [explainNoResult(run), explainNoLog(run)]
}

test('only a run that has ended is said to have written no log', () => {
  expect(explain({ state: 'ENDED', outcome: 'EXIT' })).toEqual([null, 'The run wrote no log.'])
  expect(explain({ state: 'ENDED', outcome: 'EXIT', options: null })).toEqual([null, 'No log is kept.'])
  const following = ['The run has not ended. This page follows it.', 'The log comes when the run has ended.']
  expect(explain({ state: 'RUNNING', outcome: null })).toEqual(following)
})

test('a lost run has no log, and a late result of one is shown', () => {
  const lost = [
    'The gateway stopped before the run ended.',
    'What the run wrote to its log was lost with it.',
  ]
  expect(explain({ state: 'LOST', outcome: null })).toEqual(lost)
  expect(explain({ state: 'LOST', outcome: 'EXIT' })).toEqual([null, 'The run wrote no log.'])
})

test('a run that has ended is replayed only with its script, its input and its options', () => {
  const kept = { state: 'ENDED', functionVersion: 'hash', isInputKept: true, options: {} }
  const explainReplay = (facts: object) => explainNoReplay({ ...kept, ...facts } as unknown as KeptRun)
  expect(explainReplay({})).toBeNull()
  expect(explainReplay({ functionVersion: null, sourceCode: null })).toContain('its script is not kept')
  expect(explainReplay({ isInputKept: false })).toContain('its input is not kept')
  expect(explainReplay({ options: null })).toContain('its options are not kept')
  expect(explainReplay({ state: 'RUNNING', isInputKept: false })).toBeNull()
})
