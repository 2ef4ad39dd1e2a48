import type { JsonText } from '../../json/json-text.ts'
import type { CaseValue } from '../case-data/case-values.ts'
import type { EventStore, LoggedEvent, Origin, Page, PlainOrigin } from '../port.ts'
import type { CommittedRuns } from '../runs/deferred-runs.ts'
import type { HooksToQueue } from '../triggers/trigger-store.ts'

/** A case as it is stored. Its data stays text until its values are needed. */
export interface Case {
  readonly id: number
  readonly caseTypeCode: string
  /** The data, a JSON object. Null if a long list of cases was past the bytes that one statement reads. */
  readonly data: JsonText | null
  /** Number of bytes of the data as JSON. */
  readonly dataBytes: number
  /** The version, which is also the ETag. It starts at 1 and grows with every change. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface CaseType {
  readonly code: string
  /** Fields that a look-up may name. The values of all cases are indexed for these. */
  readonly indexedFields: readonly string[]
  /** Fields whose values each save writes: the indexed fields, and those that are about to be indexed. */
  readonly writtenFields: readonly string[]
  /**
   * Grows with each change of the type's hooks or fields, and of the live versions of the functions that its hooks
   * before a change run. A save commits only if it is still as the save has read it.
   */
  readonly revision: number
}

export type CaseTypeRevision = Pick<CaseType, 'code' | 'revision'>

export type CaseEventKind = 'created' | 'saved' | 'deleted'

export interface CaseEvent extends LoggedEvent {
  readonly kind: CaseEventKind
  readonly caseId: number
  readonly caseTypeCode: string
  /** The version after the change; for `deleted`, the last version. */
  readonly version: number
  /** The changed fields as JSON, `{field: [new, previous]}`. Null if they are long and must be loaded separately. */
  readonly changedFields: JsonText | null
  readonly changedBytes: number
  /** The stored function whose run made the change; null without one. */
  readonly functionName: string | null
}

/** What a save writes in one transaction (contract, section 7, step 6). */
export interface CaseCommit {
  readonly origin: Origin
  readonly caseTypeCode: string
  /** The case as it was read; null to create a case. */
  readonly read: Pick<Case, 'id' | 'version' | 'dataBytes'> | null
  /** The revision of the case type as it was read; 0 if there was no such type. */
  readonly revision: number
  /** The new data as JSON; null to delete the case. */
  readonly data: string | null
  /** The values of the type's written fields; null if it has none. */
  readonly values: readonly CaseValue[] | null
  /** The changed fields of the event, as JSON. */
  readonly changedFields: string
  readonly functionName: string | null
  /** The runs that decided the change, which the commit writes too; null without any. */
  readonly runs: CommittedRuns | null
  readonly runIds: readonly string[]
  /** The hooks that run after the change; null if there are none. */
  readonly after: HooksToQueue | null
  /** The data before a delete, for the hooks after it. */
  readonly previousData: string | null
  /** The holder of this save's lease. If another gateway has the lease, the commit is a `conflict`. */
  readonly leaseHolder: string
}

export type CommittedCase = Extract<CommitResult, { kind: 'committed' }>

export type CommitResult =
  | {
      readonly kind: 'committed'
      readonly row: Case
      readonly changedFields: JsonText
      /** The ids of the runs that decided the change. */
      readonly runIds: readonly string[]
      /** The transaction that made the change: that of an earlier request if it made this step. */
      readonly transactionId: string
    }
  /** The case, its type or its lease has changed since it was read. Nothing was written. */
  | { readonly kind: 'conflict' }

/** Finds cases in which each named field has one of the listed values. */
export interface CaseSearch {
  readonly caseTypeCode: string | null
  readonly where: readonly { readonly field: string; readonly in: readonly string[] }[]
}

export interface CaseStore {
  /** Returns the rows that exist, in any order, with one statement, or two if the data of some are long. */
  findByIds(accountCode: string, ids: readonly number[]): Promise<Case[]>
  /** Returns a case and its type as they are at one moment; null if there is no such case. */
  findWithType(
    accountCode: string,
    id: number,
  ): Promise<{ readonly row: Case; readonly type: CaseType | null } | null>
  /** Returns the first or last cases between two ids, in ascending id. */
  page(accountCode: string, search: CaseSearch, page: Page): Promise<Case[]>
  commit(commit: CaseCommit): Promise<CommitResult>
  /** Returns the result of an earlier attempt at this step of a request with an idempotency key; null without one. */
  findCommitted(origin: Origin): Promise<CommittedCase | null>
  /** Leases the case to this holder for `ms` from now, unless another holder has the lease. */
  lease(
    accountCode: string,
    id: number,
    lease: { readonly holder: string; readonly ms: number },
  ): Promise<boolean>
  release(accountCode: string, id: number, holder: string): Promise<void>
  /** Deletes the leases that have ended, of all accounts. A gateway that dies leaves such rows. */
  deleteEndedLeases(): Promise<void>
  findType(accountCode: string, code: string): Promise<CaseType | null>
  /** The first 1,000 types by code. */
  listTypes(accountCode: string): Promise<CaseType[]>
  /**
   * Writes the type's fields with a new revision. Returns null if the type has another revision than the given one (0
   * means that there is no type).
   */
  saveType(origin: PlainOrigin, type: CaseType): Promise<CaseType | null>
  /** Returns what an earlier attempt at this step of a request with an idempotency key has saved; null without one. */
  findSavedType(origin: PlainOrigin): Promise<CaseType | null>
  /** Writes the values of cases that still have the given versions. Returns false if the type has another revision. */
  addValues(accountCode: string, type: CaseTypeRevision, rows: readonly ReadValues[]): Promise<boolean>
  /** Deletes the values of these fields for all cases. Returns false if the type has another revision. */
  dropValues(accountCode: string, type: CaseTypeRevision, fields: readonly string[]): Promise<boolean>
  readonly events: CaseEventStore
}

export interface ReadValues {
  readonly id: number
  readonly version: number
  readonly values: readonly CaseValue[]
}

export interface CaseEventStore extends EventStore<CaseEvent> {
  /** Returns one page of events for each case, with one statement, in ascending sequence. */
  pageByCases(accountCode: string, caseIds: readonly number[], page: Page): Promise<CaseEvent[]>
  /** Returns long changed fields as JSON, by the sequences of their events. */
  findChangedFields(
    accountCode: string,
    sequences: readonly number[],
  ): Promise<{ readonly sequence: number; readonly changedFields: JsonText }[]>
}
