import { currentSession, ownerOf } from '../shell/session.ts'
import type { CaseVersion } from './case-documents.ts'

/** What a person typed for a case. */
export interface KeptEdits {
  /** The version that the edits began with. */
  readonly base: CaseVersion
  readonly text: string
}

// Another person may sign in in this tab, and sees only what is theirs.
const keyOf = (caseId: string) => `rostrum.case.${caseId}.${ownerOf(currentSession())}`

/**
 * Keeps what was typed for a case in this tab, so that neither a reload nor another page loses it. Returns false if the
 * browser has no room for it.
 */
export function keepEdits(caseId: string, edits: KeptEdits): boolean {
  try {
    sessionStorage.setItem(keyOf(caseId), JSON.stringify(edits))
    return true
  } catch {
    return false
  }
}

/** Returns what this person typed for a case and did not save; null without it. */
export function readEdits(caseId: string): KeptEdits | null {
  const text = sessionStorage.getItem(keyOf(caseId))
  return text === null ? null : (JSON.parse(text) as KeptEdits)
}

export function forgetEdits(caseId: string): void {
  sessionStorage.removeItem(keyOf(caseId))
}
