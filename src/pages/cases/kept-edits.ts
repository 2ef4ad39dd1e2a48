import { currentSession, ownerOf } from '../shell/session.ts'

interface Edits {
  readonly version: number
  readonly text: string
}

// Another person may sign in in this tab, and sees only what is theirs.
const keyOf = (caseId: string) => `rostrum.case.${caseId}.${ownerOf(currentSession())}`

/** Keeps what was typed for a case in this tab, so that neither a reload nor another page loses it. */
export function keepEdits(caseId: string, edits: Edits): void {
  sessionStorage.setItem(keyOf(caseId), JSON.stringify(edits))
}

/** Returns what this person typed for a case and did not save; null without it. */
export function readEdits(caseId: string): Edits | null {
  const text = sessionStorage.getItem(keyOf(caseId))
  return text === null ? null : (JSON.parse(text) as Edits)
}

export function forgetEdits(caseId: string): void {
  sessionStorage.removeItem(keyOf(caseId))
}
