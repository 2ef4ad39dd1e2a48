/** A signal that is created when somebody first asks for it. Most requests and runs end without that. */
export class LateSignal {
  #controller: AbortController | null = null
  #end: { readonly reason: unknown } | null = null

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController()
      if (this.#end !== null) this.#controller.abort(this.#end.reason)
    }
    return this.#controller.signal
  }

  /** Aborts the signal, also one that is created later. */
  abort(reason: unknown): void {
    this.#end ??= { reason }
    this.#controller?.abort(reason)
  }
}
