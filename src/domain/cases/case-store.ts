import type { JsonText } from '../../json/json-text.ts'
import type { CaseValue } from '../case-data/case-values.ts'
import type { EventStore, LoggedEvent, Origin, Page } from '../port.ts'
import type { CommittedRuns } from '../runs/deferred-runs.ts'
import type { HooksToQueue } from '../triggers/trigger-store.ts'

/** A case as it is stored. Its data stay a text until their values are needed. */
export interface Case {
  readonly id: number
  readonly caseTypeCode: string
  /** A JSON object. Null if the case is one of a long list and past the bytes that one statement reads. */
  readonly data: JsonText | null
  /** Bytes of the data as JSON. */
  readonly dataBytes: number
  /** Starts at 1 and grows with every change; the ETag. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface CaseType {
  readonly code: string
  /** Fields that a look-up may name. The values of all cases are in the table of values. */
  readonly indexedFields: readonly string[]
  /** Fields whose values a save writes: the indexed fields, and the fields that are about to be indexed. */
  readonly writtenFields: readonly string[]
  /** Grows with each change of the type's hooks and fields. A save commits only at the revision that it read. */
  readonly revision: number
}

export type CaseTypeRevision = Pick<CaseType, 'code' | 'revision'>

export type CaseEventKind = 'created' | 'saved' | 'deleted'

export interface CaseEvent extends LoggedEvent {
  readonly kind: CaseEventKind
  readonly caseId: number
  readonly caseTypeCode: string
  /** The version after the change; for `deleted` the last one. */
  readonly version: number
  /** Changed fields as JSON, `{field: [new, previous]}`; null if they are long and must be loaded. */
  readonly changedFields: JsonText | null
  readonly changedBytes: number
  /** The function whose run made the change; null without one. */
  readonly functionName: string | null
}

/** What a save writes in one transaction (contract, section 7, step 6). */
export interface CaseCommit {
  readonly origin: Origin
  readonly caseTypeCode: string
  /** The case as it was read; null to create one. */
  readonly read: Pick<Case, 'id' | 'version' | 'dataBytes'> | null
  /** The revision of the case type that the save read; 0 if there was no such type. */
  readonly revision: number
  /** The new data as JSON; null to delete the case. */
  readonly data: string | null
  /** Null if the type writes the values of no field. */
  readonly values: readonly CaseValue[] | null
  /** The changed fields of the event, as JSON. */
  readonly changedFields: string
  readonly functionName: string | null
  /** The runs that decided the change, to be written with it; null without any. */
  readonly runs: CommittedRuns | null
  readonly runIds: readonly string[]
  /** The hooks that run after the change; null without any. */
  readonly after: HooksToQueue | null
  /** The data before a delete, for these hooks. */
  readonly previousData: string | null
  /** The lease of this save; another gateway's lease makes the commit a `conflict`. */
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
    }
  /** The case, its type or its lease is no longer as it was read. Nothing was written. */
  | { readonly kind: 'conflict' }

/** Cases whose fields have one of the listed values each. */
export interface CaseSearch {
  readonly caseTypeCode: string | null
  readonly where: readonly { readonly field: string; readonly in: readonly string[] }[]
}

export interface CaseStore {
  /** The rows that exist, in any order, in one statement. */
  findByIds(accountCode: string, ids: readonly number[]): Promise<Case[]>
  /** The first or last cases between two ids, in ascending id. */
  page(accountCode: string, search: CaseSearch, page: Page): Promise<Case[]>
  commit(commit: CaseCommit): Promise<CommitResult>
  /** The result of an earlier attempt at this step of a request with an idempotency key; null if there is none. */
  findCommitted(origin: Origin): Promise<CommittedCase | null>
  /** Leases the case to this holder until `ms` from now, unless another holder has the lease. */
  lease(
    accountCode: string,
    id: number,
    lease: { readonly holder: string; readonly ms: number },
  ): Promise<boolean>
  release(accountCode: string, id: number, holder: string): Promise<void>
  findType(accountCode: string, code: string): Promise<CaseType | null>
  /** Writes the fields with a new revision; null if the type is not at the given revision (0: there is no type). */
  saveType(accountCode: string, type: CaseType): Promise<CaseType | null>
  /** Writes values of cases that still have these versions. False if the type is no longer at the revision. */
  addValues(accountCode: string, type: CaseTypeRevision, rows: readonly ReadValues[]): Promise<boolean>
  /** Deletes the values of fields, of all cases. False if the type is no longer at the revision. */
  dropValues(accountCode: string, type: CaseTypeRevision, fields: readonly string[]): Promise<boolean>
  readonly events: CaseEventStore
}

export interface ReadValues {
  readonly id: number
  readonly version: number
  readonly values: readonly CaseValue[]
}

export interface CaseEventStore extends EventStore<CaseEvent> {
  /** The page of events of each case, in one statement, in ascending sequence. */
  pageByCases(accountCode: string, caseIds: readonly number[], page: Page): Promise<CaseEvent[]>
  /** Long changed fields by the sequences of their events, as JSON. */
  findChangedFields(
    accountCode: string,
    sequences: readonly number[],
  ): Promise<{ readonly sequence: number; readonly changedFields: JsonText }[]>
}
