interface Message {
  readonly kind: 'opened' | 'taken'
  readonly id: string
}

/**
 * Finds out whether another tab has the same draft: a duplicated tab begins with the storage of the first one. The tab
 * that opened the draft last is asked to take another.
 */
export class DraftClaim {
  #id: string | null = null
  readonly #channel = new BroadcastChannel('rostrum.drafts')

  /** Calls `onTaken` if another tab has the draft of this one. */
  constructor(onTaken: () => void) {
    this.#channel.onmessage = ({ data: { kind, id } }: MessageEvent<Message>) => {
      if (id !== this.#id) return
      if (kind === 'taken') onTaken()
      else this.#send({ kind: 'taken', id })
    }
  }

  /** Says that this tab has the draft. */
  claim(id: string | null): void {
    if (id === this.#id) return
    this.#id = id
    if (id !== null) this.#send({ kind: 'opened', id })
  }

  #send(message: Message): void {
    this.#channel.postMessage(message)
  }
}
