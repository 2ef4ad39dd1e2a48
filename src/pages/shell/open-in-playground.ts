import { currentSession, forget, isOwn, keep, openKey, ownerOf, readKept } from '../gateway/session.ts'

/** The stored function that a draft changes. */
export interface OpenFunction {
  readonly id: string
  readonly name: string
  readonly caseTypeCode: string | null
  /** Hash of the version with which the draft began. */
  readonly baseHash: string
}

/** What the playground opens next in this tab, as a draft of its own. */
export interface Opened {
  /** The function that the draft changes; null for a draft of a new one. */
  readonly open?: OpenFunction | null
  readonly fields: { readonly script: string; readonly input: string; readonly options: string }
  /** Says where it is from. */
  readonly notice: string
}

interface Stored extends Opened {
  readonly owner: string
}

/** Opens the playground with these texts, which may be longer than a link. Returns the error if it cannot. */
export function openInPlayground(opened: Opened): Error | null {
  const stored: Stored = { ...opened, owner: ownerOf(currentSession()) }
  if (!keep(openKey, JSON.stringify(stored)))
    return new Error('This browser tab has no room for it. Open this page in a new tab, and try it there.')
  location.assign('/playground')
  return null
}

/**
 * Returns what this person asked the playground to open in this tab, once; null without it. If the playground could
 * not be loaded then, the text waits in the tab. It is forgotten if `isWanted` is false, because the address names
 * something else by now.
 */
export function takeOpened({ isWanted }: { readonly isWanted: boolean }): Opened | null {
  const text = readKept(openKey)
  forget(openKey)
  if (!isWanted) return null
  const stored = text === null ? null : (JSON.parse(text) as Stored)
  // Another person may have signed in in this tab.
  return stored !== null && isOwn(stored.owner) ? stored : null
}
