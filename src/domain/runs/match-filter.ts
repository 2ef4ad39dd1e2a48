import type { RunFilter, StoredRun } from './run-store.ts'

// Members that a run has under the same name.
const equal = [
  'runId',
  'functionId',
  'functionVersion',
  'trigger',
  'caseId',
  'txnId',
  'outcome',
  'state',
  'replayOf',
] as const

/** True if the run satisfies each member of the filter, and the text: an id of it, or the beginning of its name. */
export function matchesFilter(run: StoredRun, filter: RunFilter, text: string | null): boolean {
  const { nameStart, startedAfter, startedBefore } = filter
  return (
    equal.every(name => filter[name] === null || filter[name] === run[name]) &&
    (nameStart === null || run.name.startsWith(nameStart)) &&
    (startedAfter === null || run.startedAt > startedAfter) &&
    (startedBefore === null || run.startedAt < startedBefore) &&
    (text === null || matchesText(run, text))
  )
}

function matchesText({ runId, txnId, caseId, name }: StoredRun, text: string): boolean {
  return [runId, txnId, caseId?.toString()].includes(text) || name.startsWith(text)
}
