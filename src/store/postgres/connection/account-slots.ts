import { type PlaceLimits, Places } from '../../../fairness/places.ts'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { nothingChanged } from './explain-failure.ts'

/**
 * Runs the work when its owner has a free slot. Throws `UNAVAILABLE` without starting the work if that takes too long.
 */
export type WithAccountSlot = <T>(owner: ShareOwner, work: () => Promise<T>) => Promise<T>

/** Maximum time before a change is sent. */
export const maxWaitMs = 4_000

/** Why a change of an account was not sent in time. */
export const othersTookLong = 'Other changes of this account took too long'

/** `tooLate` is the reason in that error, such as `The database gave no connection`. */
export function createAccountSlots({
  tooLate,
  ...limits
}: PlaceLimits & { readonly tooLate: string }): WithAccountSlot {
  const places = new Places<ShareOwner>(limits)
  const inTime = { after: { ms: maxWaitMs, error: () => nothingChanged(tooLate) } }
  return async (owner, work) => {
    const place = await places.take(owner, () => inTime)
    try {
      return await work()
    } finally {
      place.leave()
    }
  }
}
