import { beginDraft, type Draft, type OpenFunction, readDraftOfTab, storeDraft } from './draft-store.ts'
import { firstFields } from './examples.ts'
import type { Fields } from './link.ts'

interface Written {
  readonly fields: Fields
  readonly cursor: number
  readonly open: OpenFunction | null
}

// A longer draft is stored a moment later, because the browser stores text at once and typing would stall.
const maxCharactersAtOnce = 200_000
const delayMs = 300

/** Stores the draft of this tab as it changes, so that a reload at any moment loses nothing. */
export class WorkingDraft {
  #draft: Draft | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #onNote: (note: string) => void

  constructor(onNote: (note: string) => void) {
    this.#onNote = onNote
    addEventListener('pagehide', () => this.#flush())
    document.addEventListener('visibilitychange', () => this.#flush())
  }

  /** Returns the draft of this tab, and goes on with it; null if it has none. */
  restore(): Draft | null {
    this.#draft = readDraftOfTab()
    if (this.#draft !== null) this.#onNote('Draft saved')
    return this.#draft
  }

  /** Goes on with a stored draft. */
  continue(draft: Draft): void {
    this.#flush()
    this.#draft = draft
    this.#onNote('Draft saved')
  }

  /** Begins a draft, which is stored with the first change. */
  begin(fields: Fields, open: OpenFunction | null = null): void {
    this.#flush()
    this.#draft = beginDraft(fields, open)
    this.#onNote('')
  }

  /** Takes note of a change. */
  note({ fields, cursor, open }: Written): void {
    this.#draft = {
      ...(this.#draft ?? beginDraft(firstFields)),
      ...fields,
      cursor,
      function: open,
      at: Date.now(),
    }
    const { script, input, options } = fields
    if (script.length + input.length + options.length <= maxCharactersAtOnce) return this.#store()
    this.#onNote('')
    this.#timer ??= setTimeout(() => this.#store(), delayMs)
  }

  /** Takes note of a move of the cursor in a draft that is stored already. */
  move(cursor: number): void {
    if (this.#draft === null || this.#draft.cursor === cursor) return
    this.#draft = { ...this.#draft, cursor }
    this.#timer ??= setTimeout(() => this.#store(), delayMs)
  }

  #flush(): void {
    if (this.#timer !== null) this.#store()
  }

  #store(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#draft === null) return
    this.#onNote(
      storeDraft(this.#draft) ? 'Draft saved' : 'Draft not saved: this browser is full. Forget old drafts.',
    )
  }
}
