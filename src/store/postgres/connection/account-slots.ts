import { type PlaceLimits, Places } from '../../../fairness/places.ts'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { nothingChanged } from './explain-failure.ts'

/** Does the work once its owner has a place. `UNAVAILABLE` if it waits too long; then the work does not start. */
export type WithAccountSlot = <T>(owner: ShareOwner, work: () => Promise<T>) => Promise<T>

const maxWaitMs = 4_000

/** `tooLate`: the reason for work that waited too long, such as `The database gave no connection`. */
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
