import { currentSession, openKey, ownerOf } from '../gateway/session.ts'

/** What the playground opens next in this tab, as a draft of its own. */
export interface Opened {
  readonly fields: { readonly script: string; readonly input: string; readonly options: string }
  /** Says where it is from. */
  readonly notice: string
}

interface Stored extends Opened {
  readonly owner: string
}

/** Opens the playground with these texts, which may be longer than a link. */
export function openInPlayground(opened: Opened): void {
  const stored: Stored = { ...opened, owner: ownerOf(currentSession()) }
  sessionStorage.setItem(openKey, JSON.stringify(stored))
  location.assign('/playground')
}

/** Returns what this person asked the playground to open in this tab, once; null without it. */
export function takeOpened(): Opened | null {
  const text = sessionStorage.getItem(openKey)
  sessionStorage.removeItem(openKey)
  const stored = text === null ? null : (JSON.parse(text) as Stored)
  // Another person may have signed in in this tab.
  return stored?.owner === ownerOf(currentSession()) ? stored : null
}
