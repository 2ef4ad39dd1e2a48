/** A place where two JSON documents differ. A value is undefined where there is none. */
export interface Change {
  /** RFC 6901. */
  readonly pointer: string
  readonly before: unknown
  readonly after: unknown
}

const maxChanges = 500

/** The places where two documents differ. */
export interface Difference {
  readonly changes: readonly Change[]
  /** True if there are more than are listed. */
  readonly isCut: boolean
}

/** Compares two JSON documents. Lists at most 500 places. */
export function compareDocuments(before: unknown, after: unknown): Difference {
  const changes: Change[] = []
  const pairs = [{ pointer: '', before, after }]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (changes.length === maxChanges) return { changes, isCut: true }
    const inside = membersOf(pair)
    if (inside !== null) pairs.push(...inside.reverse())
    else if (pair.before !== pair.after) changes.push(pair)
  }
  return { changes, isCut: false }
}

// Null unless both are objects, or both lists. Equal members are left out, so that a long list is not kept.
function membersOf({ pointer, before, after }: Change): Change[] | null {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return null
  const members: Change[] = []
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [ownOf(before, key), ownOf(after, key)]
    if (one === other) continue
    members.push({
      pointer: pointer + pointerTo(key),
      before: one,
      after: other,
    })
  }
  return members
}

/** Returns the JSON Pointer of a member. Within another value, it follows the pointer of that. */
export function pointerTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function ownOf(container: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(container, key) ? container[key] : undefined
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
