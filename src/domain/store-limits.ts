import { RostrumError } from '../errors.ts'

/** Maximum bytes of an account, which the store compares in the statements that add them. */
export interface StoreLimits {
  /** Maximum of everything that counts to the account's stored bytes. */
  readonly accountBytes: number
  /** Maximum bytes of the inputs of queued runs that wait or run. */
  readonly queueBytes: number
}

/** No limits, for a program that serves no callers. */
export const noLimits: StoreLimits = {
  accountBytes: Number.MAX_SAFE_INTEGER,
  queueBytes: Number.MAX_SAFE_INTEGER,
}

/** Bytes that each stored row counts for, besides its long texts. */
export const storedRowBytes = 256

/** The bytes that an account stores, how many a write would add, and the maximum. */
export interface StoredBytes {
  readonly used: number
  readonly more: number
  readonly max: number
}

export function isStoreFull({ used, more, max }: StoredBytes): boolean {
  return more > 0 && used + more > max
}

/** The error for an account without room for a write. */
export function storeFull({ used, more, max }: StoredBytes): RostrumError {
  return new RostrumError(
    'OVERLOADED',
    `This account stores ${used} bytes. With ${more} more it would exceed the maximum of ${max}, the setting ` +
      'ROSTRUM_ACCOUNT_STORE_BYTES. Nothing was changed. Cancel dead queued runs, keep runs (ROSTRUM_RUN_DAYS, ' +
      'ROSTRUM_RUN_BYTES) and events (ROSTRUM_EVENT_DAYS) for less time, or raise the maximum.',
    { retryAfterSeconds: 60 },
  )
}
