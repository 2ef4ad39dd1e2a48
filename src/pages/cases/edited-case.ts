import { compareDocuments } from '../results/difference.ts'
import type { CaseData, CaseVersion, FoundCase } from './case-documents.ts'
import { parseObject } from './parse-object.ts'

/** A case, and what a person makes of its data. */
export interface EditedCase {
  /** The case as it is stored, as far as the page knows. */
  readonly stored: FoundCase
  /** The version that the edits began with. It is another one while the person has to choose between both. */
  readonly base: CaseVersion
  /** What the field has. */
  readonly text: string
}

/** What the field had, and the data that it stood for. */
export interface Written {
  readonly data: CaseData
  readonly text: string
}

interface EditedData {
  /** The data that the edits began with. */
  readonly before: CaseData
  /** The data as they are stored now. */
  readonly after: CaseData
  /** What the field has, which may be no JSON yet. */
  readonly text: string
}

/** Prints the data of a case as the field shows them. */
export function printData(data: CaseData): string {
  return JSON.stringify(data, null, 2)
}

/** Returns the case without edits. */
export function withoutEdits(stored: FoundCase): EditedCase {
  return { stored, base: toVersion(stored), text: printData(stored.data) }
}

/** True if the stored case changed what was edited. The person has to choose before anything is saved. */
export function isConflict({ stored, base }: EditedCase): boolean {
  return stored.version !== base.version
}

export function isEdited(edited: EditedCase): boolean {
  return isConflict(edited) || edited.text !== printData(edited.base.data)
}

/** Lets the next save replace what is stored. */
export function keepMine({ stored, text }: EditedCase): EditedCase {
  return { stored, base: toVersion(stored), text }
}

/** Returns the case as it is stored now. What was typed beyond what was sent, or stored before, stays. */
export function withStored({ base, text }: EditedCase, stored: FoundCase, sent?: Written): EditedCase {
  const written = sent ?? { data: base.data, text: printData(base.data) }
  if (text === written.text) return withoutEdits(stored)
  const rebased = rebaseEdits({ before: written.data, after: stored.data, text })
  if (rebased !== null) return keepMine({ stored, base, text: rebased })
  return { stored, base: { version: base.version, data: written.data }, text }
}

function toVersion({ version, data }: FoundCase): CaseVersion {
  return { version, data }
}

/**
 * Takes the top-level fields that changed in the stored data over into the edits. Returns null if the edits have
 * another value of such a field themselves, or cannot be read.
 */
export function rebaseEdits({ before, after, text }: EditedData): string | null {
  const [old, stored] = [toFields(before), toFields(after)]
  const keys = new Set([...old.keys(), ...stored.keys()])
  const changed = [...keys].filter(key => !isSame(old.get(key), stored.get(key)))
  if (changed.length === 0) return text
  const edited = readFields(text)
  if (edited === null) return null
  for (const key of changed) {
    const value = edited.get(key)
    if (!isSame(value, old.get(key)) && !isSame(value, stored.get(key))) return null
    if (stored.has(key)) edited.set(key, stored.get(key))
    else edited.delete(key)
  }
  const data = Object.fromEntries(edited)
  return printData(isSame(data, after) ? after : data)
}

// Unlike an object, a map inherits no member.
function toFields(data: CaseData): Map<string, unknown> {
  return new Map(Object.entries(data))
}

function readFields(text: string): Map<string, unknown> | null {
  try {
    return toFields(parseObject(text, 'Data'))
  } catch {
    return null
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return compareDocuments(one, other).changes.length === 0
}
