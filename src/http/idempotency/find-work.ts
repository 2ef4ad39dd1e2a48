import type { Operation } from '../../operations/operation.ts'

/** Work that is done once under a key. */
export interface Work {
  /** It may start a run. A run is never started again. */
  readonly mayRun: boolean
}

type Fields = ReadonlySet<string>

/** Returns what the operation of a REST path does, or null if it changes nothing. `runFields` start a run. */
export function findRouteWork({ type, field }: Operation, runFields: Fields): Work | null {
  return type === 'query' ? null : { mayRun: runFields.has(field) }
}

/**
 * Returns a function that says what a GraphQL document does, or null if it changes nothing. It searches the text before
 * it is parsed: a document without `mutation` has none, and one without the names of `runFields` starts no run. Aliases
 * and fragments have these names too.
 */
export function createDocumentWorkFinder(runFields: Fields): (query: string) => Work | null {
  const runField = new RegExp(`\\b(?:${[...runFields].join('|')})\\b`)
  return query => (/\bmutation\b/.test(query) ? { mayRun: runField.test(query) } : null)
}
