import { currentSession, isOwn, keep, ownerOf, readKept } from '../../gateway/session.ts'
import type { OpenFunction } from '../../shell/open-in-playground.ts'
import type { Fields } from './link.ts'

/** What somebody wrote, as this browser keeps it. */
export interface Draft extends Fields {
  readonly id: string
  readonly owner: string
  readonly function: OpenFunction | null
  /** Offset of the cursor in the script. */
  readonly cursor: number
  /** True for an example or a function that nobody has changed. It is not kept when another draft follows it. */
  readonly isUnchanged?: boolean
  /** True if the script is that of the version with `baseHash`. */
  readonly isBase?: boolean
  /** Time of the last change, in milliseconds. */
  readonly at: number
}

/** What is known of fields that are opened as a draft. */
export interface Opening {
  readonly open?: OpenFunction | null
  readonly cursor?: number
  /** The script of the version with `baseHash`. */
  readonly base?: string | null
  readonly isExample?: boolean
}

const prefix = 'rostrum.draft.'
const tabKey = 'rostrum.draft'

/** Returns a draft that is not stored yet. It becomes the one of this tab. */
export function beginDraft(fields: Fields, openFunction: OpenFunction | null = null): Draft {
  const owner = ownerOf(currentSession())
  return copyDraft({ ...fields, id: '', owner, function: openFunction, cursor: 0, at: Date.now() })
}

/** Returns the draft under an id of its own, which becomes the one of this tab. */
export function copyDraft(draft: Draft): Draft {
  const id = crypto.getRandomValues(new Uint8Array(12)).toHex()
  keep(tabKey, id)
  return { ...draft, id }
}

/** Returns the key under which the browser stores the draft. */
export function keyOf({ id }: Draft): string {
  return prefix + id
}

/** Stores the draft. Returns false if the browser has no room for it. */
export function storeDraft(draft: Draft): boolean {
  try {
    localStorage.setItem(keyOf(draft), JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export function removeDraft(draft: Draft): void {
  localStorage.removeItem(keyOf(draft))
}

/** Stores a draft that was removed, unless there is a newer one by now. Returns false if the browser has no room. */
export function restoreDraft(draft: Draft): boolean {
  return localStorage.getItem(keyOf(draft)) !== null || storeDraft(draft)
}

/** Returns the draft of this tab; null if it has none, or if it belongs to another person. */
export function readDraftOfTab(): Draft | null {
  const id = readKept(tabKey)
  return id === null ? null : readDraft(prefix + id)
}

/** Links a stored draft to the function that was saved from it with this script. */
export function assignDraft(id: string, openFunction: OpenFunction, script: string): void {
  const draft = readDraft(prefix + id)
  if (draft !== null) storeDraft({ ...draft, function: openFunction, isBase: draft.script === script })
}

/** Makes a stored draft the one of this tab. */
export function takeDraft({ id }: Draft): void {
  keep(tabKey, id)
}

/** Returns the drafts of this person in this browser, the newest first. */
export function listDrafts(): Draft[] {
  return draftKeys()
    .flatMap(key => readDraft(key) ?? [])
    .sort((one, other) => other.at - one.at)
}

function draftKeys(): string[] {
  return Object.keys(localStorage).filter(key => key.startsWith(prefix))
}

function readDraft(key: string): Draft | null {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? 'null') as Draft | null
    return draft !== null && isOwn(draft.owner) ? complete(draft) : null
  } catch {
    return null
  }
}

// Another version of this page may have stored it, without what this one needs.
function complete(draft: Draft): Draft {
  const { script, input, options, cursor, at } = draft as Partial<Draft>
  const hasPlace = Number.isInteger(cursor) && Number(cursor) >= 0
  return {
    ...draft,
    script: typeof script === 'string' ? script : '',
    input: typeof input === 'string' ? input : '{}',
    options: typeof options === 'string' ? options : '{}',
    function: draft.function ?? null,
    cursor: hasPlace ? Number(cursor) : 0,
    at: Number.isFinite(at) ? Number(at) : 0,
  }
}
