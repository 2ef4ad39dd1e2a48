import type { Origin } from '../domain/store.ts'
import type { ChangeOptions, Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import { createSteps } from './steps.ts'
import type { Work } from './work.ts'

interface Dependencies {
  readonly dialect: Dialect
  readonly write: Database['write']
  /** Wakes the listeners of an account's events. */
  readonly announce: (accountCode: string) => void
}

export function createChange({ dialect, write, announce }: Dependencies): Database['change'] {
  const doOnce = createSteps(dialect)
  return async <T>(origin: Origin, work: () => Work<T>, options: ChangeOptions<T> = {}): Promise<T> => {
    const { hasChanged = () => true } = options
    const result = await write(origin.accountCode, () => doOnce(origin, work, hasChanged), options)
    if (hasChanged(result)) announce(origin.accountCode)
    return result
  }
}
