/** Who changes a row, and as part of what. The event of the change repeats it. */
export interface Origin {
  readonly accountCode: string
  /** Null if the credential names no integer id. */
  readonly userId: number | null
  readonly email: string | null
  /** The transaction of the run that asks, else the id of the request. */
  readonly transactionId: string
  /**
   * For a request with an idempotency key: this change is made once under it, however often the request is repeated.
   */
  readonly step: Step | null
}

/** The origin of a change that writes no event. */
export type PlainOrigin = Pick<Origin, 'accountCode' | 'step'>

/** A numbered change of a request with an idempotency key. */
export interface Step {
  readonly key: string
  readonly number: number
}

export interface NumberedEvent {
  /** 1, 2, 3 and so on within the account, in the order of the commits: no earlier one appears later. */
  readonly sequence: number
}

/** A change of a membership or a case. It is written in the change's own transaction and never changed. */
export interface LoggedEvent extends NumberedEvent {
  /** Who made the change, from the credential. */
  readonly userId: number | null
  readonly email: string | null
  readonly transactionId: string
  readonly at: Date
}

/** The first or last `limit` rows between two exclusive positions, in ascending order. */
export interface Page {
  readonly after: number | null
  readonly before: number | null
  readonly limit: number
  readonly fromEnd: boolean
}

/**
 * Maximum number of rows that a read of the pages of several parents returns. If it returns as many for more than one
 * parent, pages are incomplete: read the parents in smaller groups.
 */
export const maxRowsOfPages = 2_000

export interface RowStore<Row> {
  /** The rows that exist, in any order, in one statement for any number of ids. */
  findByIds(accountCode: string, ids: readonly number[]): Promise<Row[]>
  /** Returns a cached row. `undefined` means "not cached", not "does not exist". */
  findCached?(accountCode: string, id: number): Row | undefined
}

/** The changes of memberships, or of cases. */
export interface EventStore<Event> {
  /** Up to `limit` events after this sequence (0: from the first), in ascending order. */
  listAfter(accountCode: string, sequence: number, limit: number): Promise<Event[]>
  /** A page of events by sequence, in ascending order. */
  page(accountCode: string, page: Page): Promise<Event[]>
  /** The sequence of the newest event; 0 if there is none. */
  newest(accountCode: string): Promise<number>
  /**
   * Calls the listener soon after a commit that may have written events of this account, or of any account (null). It
   * is a hint: a call can be lost, or come without an event. Returns a function that removes the listener.
   */
  onChange(listener: ChangeListener): () => void
}

export type ChangeListener = (accountCode: string | null) => void
