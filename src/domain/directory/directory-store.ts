import type { PlainOrigin, RowStore } from '../port.ts'

export interface User {
  readonly id: number
  readonly email: string | null
  readonly displayName: string | null
}

export interface Team {
  readonly id: number
  readonly name: string | null
}

export interface UserStore extends RowStore<User> {
  /** Creates or changes the record. A detail that is left out stays unchanged; null clears it. */
  save(origin: PlainOrigin, id: number, details: Partial<Omit<User, 'id'>>): Promise<User>
  /** Returns the user with this email. If there are several, returns the one with the lowest id. */
  findByEmail(accountCode: string, email: string): Promise<User | null>
  /** Creates a user. Its id is 2^52 or more, far from the ids that callers' own systems use. */
  create(accountCode: string, details: Omit<User, 'id'>): Promise<User>
}

export interface TeamStore extends RowStore<Team> {
  save(origin: PlainOrigin, id: number, details: Partial<Omit<Team, 'id'>>): Promise<Team>
}

export interface AccountStore {
  /** True if no account exists. */
  isEmpty(): Promise<boolean>
  /** Creates the account if it is missing. Returns true if this call created it. */
  ensure(accountCode: string): Promise<boolean>
  /** Returns the bytes that count toward the maximum of the account. */
  findStoredBytes(accountCode: string): Promise<number>
}
