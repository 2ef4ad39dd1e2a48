import type { Origin, Page, RowStore } from '../port.ts'

/** A stored script. Its versions never change, and one of them is live (contract, section 7). */
export interface StoredFunction {
  readonly id: number
  readonly name: string
  /** Null for a function of all case types. */
  readonly caseTypeCode: string | null
  readonly liveVersionId: number
  /** Time of its first save; null for a function that was removed before. */
  readonly createdAt: Date | null
  /** What the save did, for a function that was just saved. */
  readonly saved?: FunctionSave
  /** The live version of a function that was just removed. A repeated request may come after its versions are gone. */
  readonly removedLive?: FunctionVersion & { readonly sourceCode: string }
}

export interface FunctionSave {
  /** Hash of the version that was saved. */
  readonly version: string
  /** True if the save created the function. */
  readonly created: boolean
}

export interface FunctionVersion {
  readonly id: number
  readonly functionId: number
  /** SHA-256 of the source, in hex. */
  readonly hash: string
  /** Bytes of the source as a JSON text: its share of an answer. */
  readonly sourceBytes: number
  readonly comment: string | null
  /** Who saved it, from the credential. */
  readonly byUserId: number | null
  readonly byEmail: string | null
  readonly at: Date
}

export interface FunctionSource {
  /** The id of the version. */
  readonly id: number
  readonly sourceCode: string
}

export interface FunctionName {
  readonly name: string
  readonly caseTypeCode: string | null
}

export interface NewVersion extends FunctionName {
  readonly hash: string
  readonly sourceCode: string
  readonly sourceBytes: number
  readonly comment: string | null
  readonly makeLive: boolean
  readonly ifLive?: IfLive
}

/**
 * The condition of a change: the live version must have one of these hashes, `*` stands for any, and with an empty list
 * the function must not exist. Null for no condition.
 */
export type IfLive = readonly string[] | null

/** A version with its source, for a run. */
export interface RunnableFunction extends FunctionName {
  readonly id: number
  readonly hash: string
  readonly sourceCode: string
}

export interface FunctionLimits {
  readonly functions: number
  /**
   * Number of newest versions of a function that always stay. A save deletes some older versions, if no run refers to
   * them, they are not live, and they were not among the last ten live versions.
   */
  readonly versions: number
}

export interface SavedFunction {
  readonly function: StoredFunction
  readonly isNew: boolean
}

export type FindRunnableResult =
  | { readonly kind: 'found'; readonly runnable: RunnableFunction }
  | { readonly kind: 'missing'; readonly what: 'function' | 'version' }

/** A look-up by name takes the function of the case type, else the one without a case type. */
export interface FunctionStore extends RowStore<StoredFunction> {
  /**
   * Adds a version, and the function if it is new; its first version is live. The same source again is the same
   * version. The condition is compared while the function is locked. `PRECONDITION_FAILED`; `CONFLICT` at the maximum;
   * `OVERLOADED` if the account has no room.
   */
  save(origin: Origin, version: NewVersion, limits: FunctionLimits): Promise<SavedFunction>
  /** `NOT_FOUND` for an unknown function or version. */
  makeLive(origin: Origin, id: number, hash: string): Promise<StoredFunction>
  /**
   * Removes the function with this id, or with exactly this name and case type code. It stays with its versions until
   * no run refers to it, for the readers of its runs. `NOT_FOUND`; `PRECONDITION_FAILED`; `CONFLICT` if a trigger uses
   * it.
   */
  remove(origin: Origin, which: number | FunctionName, ifLive?: IfLive): Promise<StoredFunction>
  findByName(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /** The function with exactly this case type code, or without one. */
  findExact(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /** A version with its source: the live one if `hash` is null. */
  findRunnable(accountCode: string, given: FunctionName, hash: string | null): Promise<FindRunnableResult>
  /** The live version of the function with this id. */
  findLive(accountCode: string, id: number): Promise<RunnableFunction | null>
  /** Up to `limit` functions after this id (0: from the first), in ascending id. */
  listAfter(accountCode: string, id: number, limit: number): Promise<StoredFunction[]>
  /** Functions that were removed, and that runs may refer to. */
  readonly removed: RowStore<StoredFunction>
  readonly versions: RowStore<FunctionVersion>
  readonly sources: RowStore<FunctionSource>
  /** The live versions of functions, removed ones included, as one statement finds them. */
  findLiveOf(accountCode: string, functionIds: readonly number[]): Promise<FunctionVersion[]>
  /** Null for an unknown version. A removed function has its versions as long as runs refer to it. */
  findSource(accountCode: string, functionId: number, hash: string): Promise<string | null>
  /** The page of each function, in one statement. Rows of different functions come mixed, in ascending id. */
  pageVersions(accountCode: string, functionIds: readonly number[], page: Page): Promise<FunctionVersion[]>
}
