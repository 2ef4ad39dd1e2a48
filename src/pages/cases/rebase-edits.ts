import { compareDocuments } from '../results/difference.ts'
import type { CaseData } from './case-documents.ts'
import { parseObject } from './parse-object.ts'

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

/**
 * Takes the top-level fields that changed in the stored data over into the edits. Returns null if the edits have
 * another value of such a field themselves, or cannot be read.
 */
export function rebaseEdits({ before, after, text }: EditedData): string | null {
  const [old, stored] = [toFields(before), toFields(after)]
  const changed = [...old.keys(), ...stored.keys()].filter(key => !isSame(old.get(key), stored.get(key)))
  if (changed.length === 0) return text
  const edited = readFields(text)
  if (edited === null) return null
  for (const key of changed) {
    const value = edited.get(key)
    if (!isSame(value, old.get(key)) && !isSame(value, stored.get(key))) return null
    if (stored.has(key)) edited.set(key, stored.get(key))
    else edited.delete(key)
  }
  return printData(Object.fromEntries(edited))
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
