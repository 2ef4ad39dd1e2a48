import type { Operation } from '../../operations/operation.ts'

/** What a request changes. Under an idempotency key it is done once. */
export interface Work {
  /** True if the request may start a run. Such a request is never executed again. */
  readonly mayRun: boolean
}

type Fields = ReadonlySet<string>

/** Returns what the operation of a REST path does, or null if it changes nothing. `runFields` start a run. */
export function findRouteWork({ type, field }: Operation, runFields: Fields): Work | null {
  return type === 'query' ? null : { mayRun: runFields.has(field) }
}

/**
 * Returns a function that says what a GraphQL document may do, or null if it changes nothing. It searches the text
 * without parsing it: a document without the word `mutation` changes nothing, and one without a name from `runFields`
 * starts no run. Aliases cannot hide these names.
 */
export function createDocumentWorkFinder(runFields: Fields): (query: string) => Work | null {
  const runField = new RegExp(`\\b(?:${[...runFields].join('|')})\\b`)
  return query => (/\bmutation\b/.test(query) ? { mayRun: runField.test(query) } : null)
}
