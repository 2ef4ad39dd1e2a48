/** A reader of an account's changes. */
export interface Follower {
  readonly accountCode: string
  isEnded(): boolean
  /** Says that there may be a new event. Ends the current wait; if there is none, the next wait ends at once. */
  wake(): void
  /** How often `doubt` was called. */
  readonly doubts: number
  /** Says that another copy of the store may be in its place, and wakes the follower. */
  doubt(): void
  /** Ends the stream of the follower. */
  end(): void
  wait(maxMs: number): Promise<void>
}

export function createFollower(accountCode: string): Follower {
  let isEnded = false
  let isAwake = false
  let doubts = 0
  let resume = () => {}

  function wake(): void {
    isAwake = true
    resume()
  }

  return {
    accountCode,
    isEnded: () => isEnded,
    wake,
    get doubts() {
      return doubts
    },
    doubt() {
      doubts += 1
      wake()
    },
    end() {
      isEnded = true
      wake()
    },
    async wait(maxMs) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, maxMs)
      resume = resolve
      if (isAwake) resolve()
      await promise
      clearTimeout(timer)
      isAwake = false
    },
  }
}
