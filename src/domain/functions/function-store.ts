import type { Origin, Page, RowStore } from '../port.ts'

/** A stored script. Its versions never change, and one of them is live (contract, section 7). */
export interface StoredFunction {
  readonly id: number
  readonly name: string
  /** The case type; null for a function of all case types. */
  readonly caseTypeCode: string | null
  readonly liveVersionId: number
  /** The time of the first save; null for a function that was removed. */
  readonly createdAt: Date | null
  /** What the save did. Only for a function that was just saved. */
  readonly saved?: FunctionSave
  /**
   * The live version of a function that was just removed. It is stored with the result, because a repeated request may
   * come after the versions are deleted.
   */
  readonly removedLive?: FunctionVersion & { readonly sourceCode: string }
}

export interface FunctionSave {
  /** The hash of the saved version. */
  readonly version: string
  /** True if the save created the function. */
  readonly created: boolean
}

export interface FunctionVersion {
  readonly id: number
  readonly functionId: number
  /** SHA-256 of the source, in hex. */
  readonly hash: string
  /** Bytes of the source as a JSON text, which it takes in an answer. */
  readonly sourceBytes: number
  readonly comment: string | null
  /** The user that saved the version, from the credential; null if it has no user id. */
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
 * The condition of a change: the live version must have one of these hashes. `*` stands for any hash. An empty list
 * means that the function must not exist. Null means no condition.
 */
export type IfLive = readonly string[] | null

/** The version to make live, and the condition on the one that is live now. */
export interface NextLive {
  readonly hash: string
  readonly ifLive?: IfLive
}

/** A version with its source, ready to run. */
export interface RunnableFunction extends FunctionName {
  readonly id: number
  readonly hash: string
  readonly sourceCode: string
}

export interface FunctionLimits {
  readonly functions: number
  /**
   * Number of newest versions of a function that are always kept. A save deletes some older versions: those that no run
   * refers to, that are not live, and that were not among the last ten live versions.
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

/** A version with its source and the name of its function, which may have been removed. */
export type VersionToReplay = Pick<RunnableFunction, 'name' | 'hash' | 'sourceCode'>

/** A version, by its function and its hash. */
export interface NamedVersion {
  readonly functionId: number
  readonly hash: string
}

/** Stores functions. A look-up by name prefers the function of the case type, then the function without a case type. */
export interface FunctionStore extends RowStore<StoredFunction> {
  /**
   * Adds a version, and the function if it is new, whose first version is live. Saving the same source again adds
   * nothing. The condition is compared while the function is locked. Rejects with `PRECONDITION_FAILED`, `CONFLICT` at
   * the maximum number of functions, and `OVERLOADED` if the account has no space left.
   */
  save(origin: Origin, version: NewVersion, limits: FunctionLimits): Promise<SavedFunction>
  /** Makes a version live. Rejects with `NOT_FOUND` for an unknown function or version, and `PRECONDITION_FAILED`. */
  makeLive(origin: Origin, id: number, version: NextLive): Promise<StoredFunction>
  /**
   * Removes the function with this id, or with exactly this name and case type code. Its row and versions stay until no
   * run refers to them, for readers of these runs. Rejects with `NOT_FOUND`, `PRECONDITION_FAILED`, and `CONFLICT` if a
   * trigger uses the function.
   */
  remove(origin: Origin, which: number | FunctionName, ifLive?: IfLive): Promise<StoredFunction>
  findByName(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /**
   * Returns the function with exactly this name and case type code. A null code means a function without a case type.
   */
  findExact(accountCode: string, given: FunctionName): Promise<StoredFunction | null>
  /** Returns a version with its source; the live version if `hash` is null. */
  findRunnable(accountCode: string, given: FunctionName, hash: string | null): Promise<FindRunnableResult>
  /** Returns the live version of the function with this id. */
  findLive(accountCode: string, id: number): Promise<RunnableFunction | null>
  /** Returns up to `limit` functions with ids above this id (0: from the first), in ascending id. */
  listAfter(accountCode: string, id: number, limit: number): Promise<StoredFunction[]>
  /** Removed functions that runs may still refer to. */
  readonly removed: RowStore<StoredFunction>
  readonly versions: RowStore<FunctionVersion>
  readonly sources: RowStore<FunctionSource>
  /** Returns the live versions of these functions, removed functions included, with one statement. */
  findLiveOf(accountCode: string, functionIds: readonly number[]): Promise<FunctionVersion[]>
  /** Returns the versions of functions that have these hashes, with one statement. */
  findVersionsOf(accountCode: string, named: readonly NamedVersion[]): Promise<FunctionVersion[]>
  /**
   * Returns a version with its source; null if the version is unknown. Versions of a removed function stay while runs
   * refer to it.
   */
  findVersion(accountCode: string, functionId: number, hash: string): Promise<VersionToReplay | null>
  /**
   * Returns one page of versions for each function, with one statement. Rows of different functions come mixed, in
   * ascending id.
   */
  pageVersions(accountCode: string, functionIds: readonly number[], page: Page): Promise<FunctionVersion[]>
}
