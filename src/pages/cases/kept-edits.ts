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

/** What a person typed for a case that is not created yet. */
export interface NewCase {
  readonly type: string
  readonly data: string
}

/** Keeps what was typed for a new case in this tab, so that signing in again does not lose it. */
export function keepNewCase({ type, data }: NewCase): void {
  // If the browser has no room for it, the field still has it, and what was kept before is older.
  if (!keep(keyOf('new'), JSON.stringify({ type, data }))) forgetNewCase()
}

/** Returns what this person typed for a new case and did not create; null without it. */
export function readNewCase(): NewCase | null {
  const text = readKept(keyOf('new'))
  return text === null ? null : (JSON.parse(text) as NewCase)
}

export function forgetNewCase(): void {
  forgetEdits('new')
}

export function forgetEdits(caseId: string): void {
  forget(keyOf(caseId))
}
