/**
 * A promise that can be waited for several times, with time limits. A wait that ends early adds no listener for good.
 */
export class Pending<Value> {
  readonly promise: Promise<Value>
  #isSettled = false
  #wake: () => void = () => undefined

  constructor(promise: Promise<Value>) {
    this.promise = promise
    const settle = () => {
      this.#isSettled = true
      this.#wake()
    }
    // Both outcomes only end the waits. The code that awaits the promise itself handles a rejection.
    promise.then(settle, settle)
  }

  /** Resolves with true if the promise settles within `ms`. */
  settlesWithin(ms: number): Promise<boolean> {
    return this.#settlesBefore(late => {
      const timer = setTimeout(late, ms)
      return () => clearTimeout(timer)
    })
  }

  /** Resolves with true if the promise settles before the event loop continues. */
  settlesAtOnce(): Promise<boolean> {
    return this.#settlesBefore(late => {
      const immediate = setImmediate(late)
      return () => clearImmediate(immediate)
    })
  }

  async #settlesBefore(begin: (late: () => void) => () => void): Promise<boolean> {
    if (this.#isSettled) return true
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = begin(resolve)
    this.#wake = resolve
    await promise
    stop()
    return this.#isSettled
  }
}
