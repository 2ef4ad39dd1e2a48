import type { JsonText } from '../json/json-text.ts'
import type { Case, CaseEvent } from './cases/case-store.ts'
import type { Team, User } from './directory/directory-store.ts'
import type {
  FunctionSource,
  FunctionVersion,
  NamedVersion,
  StoredFunction,
} from './functions/function-store.ts'
import type { Membership } from './memberships/membership-store.ts'
import type { Page, RowStore } from './port.ts'
import type { RunText, StoredRun } from './runs/run-store.ts'
import type { QueuedTrigger, triggerKinds } from './scripts/trigger-kinds.ts'
import type { Store } from './store.ts'

/** A row of the store that has the triggers of a kind. */
export type TriggerRow<Trigger extends QueuedTrigger> =
  Store[(typeof triggerKinds)[Trigger]['savedIn']] extends RowStore<infer Row>
    ? Row & { readonly id: number }
    : never

export interface RowLoader<Row> {
  /** The row; null if there is none. A cached row comes without a promise. */
  load(id: number): Row | null | Promise<Row | null>
}

/** Batches the reads of one operation, so that their number of statements does not depend on the number of rows. */
export interface Loaders {
  readonly membership: RowLoader<Membership>
  readonly user: RowLoader<User>
  readonly team: RowLoader<Team>
  readonly function: RowLoader<StoredFunction>
  /** Functions that were removed, and that runs may refer to. */
  readonly removedFunction: RowLoader<StoredFunction>
  readonly functionVersion: RowLoader<FunctionVersion>
  readonly functionSource: RowLoader<FunctionSource>
  /** The version of a function with this hash; null without one. */
  versionOf(named: NamedVersion): Promise<FunctionVersion | null>
  /** The version of a function that is live when it is read. */
  liveVersionOf(functionId: number): Promise<FunctionVersion | null>
  /** Costs one statement for each distinct page that the document asks for, for any number of users. */
  membershipsOfUser(userId: number, page: Page): Promise<Membership[]>
  membershipsOfTeam(teamId: number, page: Page): Promise<Membership[]>
  versionsOfFunction(functionId: number, page: Page): Promise<FunctionVersion[]>
  readonly case: RowLoader<Case>
  eventsOfCase(caseId: number, page: Page): Promise<CaseEvent[]>
  /** The changed fields of the event with this sequence, however long. */
  changedFields(sequence: number): Promise<JsonText>
  runsOfFunction(functionId: number, page: Page): Promise<StoredRun[]>
  runsOfCase(caseId: number, page: Page): Promise<StoredRun[]>
  /** The trigger of a queued run; null once it is removed. */
  trigger<Trigger extends QueuedTrigger>(trigger: Trigger): RowLoader<TriggerRow<Trigger>>
  /** The kept attempts of a queued run. */
  attemptsOf(queuedRunId: number, page: Page): Promise<StoredRun[]>
  /** The run with this GUID; null if there is none. */
  run(runId: string): Promise<StoredRun | null>
  /** A long value of a run, by the run's number. Null if it was deleted. */
  runText(kind: RunText, id: number): Promise<string | null>
  /** Clears the cached rows, after a mutation that changed some: fields of the next mutation must see the change. */
  clear(): void
}
