import { html, nothing } from 'lit'
import { currentSession, forget, keep, ownerOf, readKept } from '../gateway/session.ts'
import type { CaseVersion } from './case-documents.ts'

/** What a person typed for a case. */
export interface KeptEdits {
  /** The version that the edits began with. */
  readonly base: CaseVersion
  readonly text: string
}

/** What a person reads if `keepEdits` had no room. */
export const noRoom = 'This browser has no room to keep your edits. Save them before you leave this page.'

// Another person may sign in in this tab, and sees only what is theirs.
const keyOf = (caseId: string) => `rostrum.case.${caseId}.${ownerOf(currentSession())}`

/**
 * Keeps what was typed for a case in this tab, so that neither a reload nor another page loses it. Returns false if the
 * browser has no room for it.
 */
export function keepEdits(caseId: string, edits: KeptEdits): boolean {
  return keep(keyOf(caseId), JSON.stringify(edits))
}

/** Returns what this person typed for a case and did not save; null without it. */
export function readEdits(caseId: string): KeptEdits | null {
  const text = readKept(keyOf(caseId))
  return text === null ? null : (JSON.parse(text) as KeptEdits)
}

/** Shows what this person typed for a case that does not load, such as one that was deleted; nothing without edits. */
export function viewEdits(caseId: string | null) {
  const edits = caseId === null ? null : readEdits(caseId)
  if (edits === null) return nothing
  return html`<label for="kept">Your unsaved edits</label>
    <textarea id="kept" class="json" rows="12" readonly .value=${edits.text}></textarea>`
}

export function forgetEdits(caseId: string): void {
  forget(keyOf(caseId))
}
