/** A reader of an account's changes. */
export interface Follower {
  readonly accountCode: string
  isEnded(): boolean
  /** Says that there may be a new event. Ends the current wait; if there is none, the next wait ends at once. */
  wake(): void
  /** How often `noteReconnect` was called. */
  readonly reconnects: number
  /** Says that the connection to the store is a new one, perhaps to a copy that lags, and wakes the follower. */
  noteReconnect(): void
  /** Ends the stream of the follower. */
  end(): void
  wait(maxMs: number): Promise<void>
}

export function createFollower(accountCode: string): Follower {
  let isEnded = false
  let isAwake = false
  let reconnects = 0
  let resume = () => {}

  function wake(): void {
    isAwake = true
    resume()
  }

  return {
    accountCode,
    isEnded: () => isEnded,
    wake,
    get reconnects() {
      return reconnects
    },
    noteReconnect() {
      reconnects += 1
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
