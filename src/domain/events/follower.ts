/** One who follows the changes of an account, and mostly waits. */
export interface Follower {
  readonly accountCode: string
  isEnded(): boolean
  /** Ends the wait, or the next one where it does not wait: there may be something new. */
  wake(): void
  /** It is to follow no longer. */
  end(): void
  wait(mostMs: number): Promise<void>
}

export function createFollower(accountCode: string): Follower {
  let isEnded = false
  let isAwake = false
  let goOn = () => {}

  function wake(): void {
    isAwake = true
    goOn()
  }

  return {
    accountCode,
    isEnded: () => isEnded,
    wake,
    end() {
      isEnded = true
      wake()
    },
    async wait(mostMs) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, mostMs)
      goOn = resolve
      if (isAwake) resolve()
      await promise
      clearTimeout(timer)
      isAwake = false
    },
  }
}
