import { type DocumentNode, type FieldNode, Kind, type SelectionNode, type SelectionSetNode } from 'graphql'
import { bounds } from './bounds.ts'
import type { Fragments } from './measure-selections.ts'
import { tooRepetitive } from './refuse-bound.ts'

/** Maximum repetition: validation takes about 10 ms for these numbers. graphql-js itself allows ten times as many. */
export const maxRepetition = { pairs: 50_000, visits: 20_000 } as const

// Levels at which counting stops. The bounds of depth were checked before, so only cycles go deeper, and validation
// refuses these.
const maxLevel = bounds.introspectionDepth

/**
 * Refuses a document that selects the same fields too often. Validation compares each pair of them, which takes long.
 */
export function refuseRepetition(document: DocumentNode, fragments: Fragments): void {
  if (isPast(countRepetition(document, fragments))) throw tooRepetitive()
}

type Repetition = Record<keyof typeof maxRepetition, number>

function isPast({ pairs, visits }: Repetition): boolean {
  return pairs > maxRepetition.pairs || visits > maxRepetition.visits
}

/**
 * Counts the pairs of fields that validation compares, and the selections that it visits. It counts as validation
 * merges: by response name, through fragments, level by level. It stops past `maxRepetition`.
 */
export function countRepetition(document: DocumentNode, fragments: Fragments): Repetition {
  const found = { pairs: 0, visits: 0 }

  function compare(sets: readonly SelectionSetNode[], level: number): void {
    if (isPast(found)) return
    const selections = flattenSelections(sets, fragments)
    found.visits += selections.length
    const fields = selections.filter(selection => selection.kind === Kind.FIELD)
    for (const same of Map.groupBy(fields, responseName).values()) {
      found.pairs += (same.length * (same.length - 1)) / 2
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? [])
      if (below.length > 0 && level < maxLevel) compare(below, level + 1)
    }
  }

  for (const definition of document.definitions) {
    if ('selectionSet' in definition) compare([definition.selectionSet], 1)
  }
  return found
}

/** Returns the selections of several sets together, with those of their fragments, each fragment once. */
export function flattenSelections(sets: readonly SelectionSetNode[], fragments: Fragments): SelectionNode[] {
  const found: SelectionNode[] = []
  const followed = new Set<string>()
  const left = [...sets]
  for (let set = left.pop(); set !== undefined; set = left.pop()) {
    found.push(...set.selections)
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) continue
      const inner = openFragment(selection, followed, fragments)
      if (inner !== undefined) left.push(inner)
    }
  }
  return found
}

function openFragment(
  selection: Exclude<SelectionNode, FieldNode>,
  followed: Set<string>,
  fragments: Fragments,
): SelectionSetNode | undefined {
  if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet
  const name = selection.name.value
  if (followed.has(name)) return undefined
  followed.add(name)
  return fragments.get(name)?.selectionSet
}

function responseName({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value
}
