/** A promise that is waited for in pieces: each wait leaves nothing behind on it, however many there are. */
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
    // What it rejects with is for whoever takes the promise itself.
    promise.then(settle, settle)
  }

  /** Whether it settles within so many milliseconds. */
  settlesWithin(ms: number): Promise<boolean> {
    return this.#settlesBefore(late => {
      const timer = setTimeout(late, ms)
      return () => clearTimeout(timer)
    })
  }

  /** Whether it settles before the event loop goes on: nothing but what is there already is needed for it. */
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
