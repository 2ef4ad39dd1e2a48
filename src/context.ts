import type { Logger } from 'pino'
import type { Caller } from './credentials/caller.ts'
import type { Directory } from './domain/directory.ts'
import type { Loaders } from './domain/loaders.ts'
import type { Memberships } from './domain/memberships.ts'
import type { Run } from './tasks/run.ts'
import type { TaskRunner } from './tasks/task-runner.ts'

/**
 * What one GraphQL operation carries through the engine, whichever way it came in: a GraphQL or REST request, or the
 * `graphql()` call of a running script.
 */
export interface RequestContext {
  readonly requestId: string
  readonly caller: Caller
  /** Fresh for every operation, so that nothing read for one caller is ever served to another. */
  readonly loaders: Loaders
  readonly memberships: Memberships
  readonly directory: Directory
  readonly tasks: TaskRunner
  /** The run whose script is asking, if one is: it bounds depth and time of the runs it starts. */
  readonly parentRun: Run | null
  /** Aborted when the caller has gone away or its run has ended; every wait below takes it. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Told of each run that this operation starts, for the request's log line. */
  readonly onRun: (run: Run) => void
}
