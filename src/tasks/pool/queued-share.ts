/** The sandboxes that queued runs hold: at most half of them (contract, section 8). */
export class QueuedShare {
  readonly #max: number
  #held = 0
  #onFree: () => void = () => undefined

  constructor(sandboxes: number) {
    this.#max = Math.max(1, Math.floor(sandboxes / 2))
  }

  get free(): number {
    return this.#max - this.#held
  }

  /** Sets the listener that is called when a queued run may find a sandbox. */
  onFree(listener: () => void): void {
    this.#onFree = listener
  }

  announceFree(): void {
    this.#onFree()
  }

  /** Gives a function that ends it. */
  take(): () => void {
    this.#held++
    return () => {
      this.#held--
    }
  }
}
