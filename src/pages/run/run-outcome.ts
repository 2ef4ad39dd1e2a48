import { formatMs } from '../results/print.ts'
import type { KeptRun } from './run-documents.ts'

const states = { RUNNING: 'running', LOST: 'lost', SUPERSEDED: 'superseded' } as const

/** Says how the run ended, as the playground does; or how it stands. */
export function describeOutcome({ state, outcome, error, durationMs }: KeptRun): string {
  if (state !== 'ENDED') {
    const word = outcome === null ? '' : ` ${outcome.toLowerCase()}`
    return `${states[state]}${word}`
  }
  const took = durationMs === null ? undefined : formatMs(durationMs)
  return [outcome?.toLowerCase(), error?.code, took].filter(part => part !== undefined).join(' ')
}

/** Says why the run has no result to show; null if it has one. */
export function explainNoResult({ state, outcome }: KeptRun): string | null {
  if (outcome !== null) return null
  if (state === 'LOST') return 'The gateway stopped before the run ended.'
  return 'The run has not ended. This page follows it.'
}

/** Says why the run has no log to show; null if it has one. A log is kept when the run ends. */
export function explainNoLog({ state, outcome, logs, options }: KeptRun): string | null {
  if (logs.length > 0) return null
  if (outcome !== null) return options === null ? 'No log is kept.' : 'The run wrote no log.'
  if (state === 'LOST') return 'What the run wrote to its log was lost with it.'
  return 'The log comes when the run has ended.'
}

/** Says why the run cannot be replayed; null if it can, or has not ended. */
export function explainNoReplay({
  state,
  functionVersion,
  sourceCode,
  isInputKept,
  options,
}: KeptRun): string | null {
  if (state === 'RUNNING') return null
  if ((functionVersion ?? sourceCode) === null) return 'It cannot be replayed: its script is not kept.'
  if (!isInputKept) return 'It cannot be replayed: its input is not kept.'
  return options === null ? 'It cannot be replayed: its options are not kept.' : null
}
