import type { OpenFunction } from '../../shell/open-in-playground.ts'
import {
  beginDraft,
  copyDraft,
  type Draft,
  keyOf,
  listDrafts,
  readDraftOfTab,
  removeDraft,
  storeDraft,
  takeDraft,
} from './draft-store.ts'
import { firstFields } from './examples.ts'
import type { Fields } from './link.ts'

interface Written {
  readonly fields: Fields
  readonly cursor: number
  readonly open: OpenFunction | null
  /** True for an example that nobody has changed. */
  readonly isExample?: boolean
  /** True if the script is that of the version with `baseHash`. */
  readonly isBase?: boolean
}

// A longer draft is stored a moment later, because the browser stores text at once and typing would stall.
const maxCharactersAtOnce = 200_000
const delayMs = 300

interface Message {
  readonly kind: 'opened' | 'taken'
  readonly id: string
}

/**
 * Finds out whether another tab has the same draft: a duplicated tab begins with the storage of the first one. The tab
 * that opened the draft last is asked to take another.
 */
class DraftClaim {
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

/** True for the input and the options of a function that was just opened. */
function areFirst({ input, options }: Fields): boolean {
  return input === firstFields.input && options === firstFields.options
}

/** Stores the draft of this tab as it changes, so that a reload at any moment loses nothing. */
export class WorkingDraft {
  #draft: Draft | null = null
  /** What the person deleted, until another draft follows it. */
  #forgotten: Draft | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #hasRoom = true
  readonly #onNote: (note: string) => void
  readonly #claim = new DraftClaim(() => this.#takeCopy())

  constructor(onNote: (note: string) => void) {
    this.#onNote = onNote
    addEventListener('pagehide', () => this.#flush())
    // The browser asks whether to leave.
    addEventListener('beforeunload', event => {
      if (this.#isAtRisk()) event.preventDefault()
    })
    document.addEventListener('visibilitychange', () => this.#flush())
    // Another tab may have deleted all drafts.
    addEventListener('storage', ({ key, newValue }) => {
      if (newValue === null && this.#draft !== null && key === keyOf(this.#draft)) this.forget()
    })
  }

  /** The id of the draft; null before the first change. */
  get id(): string | null {
    return this.#draft?.id ?? null
  }

  /** True if the browser had no room for what is written, when it was stored last. */
  get hasOnlyCopy(): boolean {
    return this.#draft !== null && this.#draft.isUnchanged !== true && !this.#hasRoom
  }

  /** Goes on with a stored draft. Throws as `begin` does. */
  continue(draft: Draft): void {
    this.#replace(draft)
    takeDraft(draft)
    this.#onNote('Draft saved')
  }

  /**
   * Begins a draft, which is stored with the first change or move of the cursor. Throws if that would lose the one
   * before, for which the browser has no room.
   */
  begin(fields: Fields, open: OpenFunction | null = null): void {
    const isFunction = open !== null
    this.#refuseLoss()
    // The page that was here before may have left a function that nobody changed.
    const left = this.#draft === null ? readDraftOfTab() : null
    if (left?.isUnchanged === true && left.function !== null) removeDraft(left)
    this.#replace({ ...beginDraft(fields, open), isBase: isFunction, isUnchanged: isFunction })
    this.#onNote('')
  }

  /** True if this person changed the script of the function in a draft, and did not save it. */
  hasUnsaved(functionId: string): boolean {
    return listDrafts().some(({ function: open, isBase }) => open?.id === functionId && isBase !== true)
  }

  /** Goes on without a draft, because the person deleted it. The next change begins another. */
  forget(): void {
    // It was deleted to make room for what is written here.
    if (this.hasOnlyCopy) return this.#store()
    this.#cancel()
    this.#forgotten = this.#draft
    this.#draft = null
    this.#claim.claim(null)
    this.#onNote('')
  }

  /** Goes on with the draft that `forget` left if it is one of these, unless another follows it by now. */
  restore(drafts: readonly Draft[]): void {
    const id = this.#forgotten?.id
    if (this.#forgotten === null || !drafts.some(draft => draft.id === id)) return
    this.#draft = this.#forgotten
    this.#forgotten = null
    this.#claim.claim(this.#draft.id)
    this.#store()
  }

  /** Returns the id of the draft, for what a dialog keeps. Before the first change, it begins one with these fields. */
  identify(fields: Fields, open: OpenFunction | null): string | null {
    if (this.#draft === null) this.note({ fields, cursor: 0, open, isExample: open === null })
    return this.id
  }

  /** Takes note of a change. */
  note({ fields, cursor, open, isExample = false, isBase = false }: Written): void {
    const draft = this.#draft ?? beginDraft(firstFields)
    this.#forgotten = null
    const isUnchanged = isExample || (open !== null && isBase && areFirst(fields))
    this.#draft = { ...draft, ...fields, cursor, function: open, isUnchanged, isBase, at: Date.now() }
    this.#claim.claim(draft.id)
    const { script, input, options } = fields
    if (script.length + input.length + options.length <= maxCharactersAtOnce) return this.#store()
    this.#onNote('')
    this.#timer ??= setTimeout(() => this.#store(), delayMs)
  }

  /** Takes note of a move of the cursor. */
  move(cursor: number): void {
    if (this.#draft === null || this.#draft.cursor === cursor) return
    this.#draft = { ...this.#draft, cursor }
    this.#timer ??= setTimeout(() => this.#store(), delayMs)
  }

  #replace(draft: Draft): void {
    this.#refuseLoss()
    if (this.#draft?.isUnchanged === true && this.#draft.id !== draft.id) removeDraft(this.#draft)
    this.#draft = draft
    this.#forgotten = null
    this.#hasRoom = true
    this.#claim.claim(draft.id)
  }

  /** Stores what is written. True if the browser has no room for it, so that only this page has it. */
  #isAtRisk(): boolean {
    this.#flush()
    return this.hasOnlyCopy
  }

  #refuseLoss(): void {
    if (!this.#isAtRisk()) return
    const advice = 'Forget old drafts first, or copy it and load this page again.'
    throw new Error(`Nothing was opened, because this browser has no room for what you wrote. ${advice}`)
  }

  #takeCopy(): void {
    if (this.#draft === null) return
    this.#draft = copyDraft(this.#draft)
    this.#claim.claim(this.#draft.id)
    this.#store()
  }

  // Another tab may have made room meanwhile.
  #flush(): void {
    if (this.#timer !== null || !this.#hasRoom) this.#store()
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #store(): void {
    this.#cancel()
    if (this.#draft === null) return
    this.#hasRoom = storeDraft(this.#draft)
    this.#onNote(this.#hasRoom ? 'Draft saved' : 'Draft not saved: this browser is full. Forget old drafts.')
  }
}
