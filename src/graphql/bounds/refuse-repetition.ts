import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { tooRepetitive } from './refuse-bound.ts'

// What validation takes some ten milliseconds for; it gives up by itself at ten times as much.
const mostPairs = 50_000
const mostVisits = 20_000

// The bound on depth was checked before: only a cycle, which validation refuses, and introspection come deeper.
const deepestLevel = 30

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * Refuses a document in which the same fields are selected so often that to compare each with each, as validation must, takes
 * long. Counted as validation merges them: by response name, through fragments, and level by level.
 */
export function refuseRepetition(document: DocumentNode, fragments: Fragments): void {
  let pairs = 0
  let visits = 0

  function compare(sets: readonly SelectionSetNode[], level: number): void {
    const selections = flatten(sets, fragments)
    visits += selections.length
    if (visits > mostVisits) throw tooRepetitive()
    const fields = selections.filter(selection => selection.kind === Kind.FIELD)
    for (const same of Map.groupBy(fields, responseName).values()) {
      pairs += (same.length * (same.length - 1)) / 2
      if (pairs > mostPairs) throw tooRepetitive()
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? [])
      if (below.length > 0 && level < deepestLevel) compare(below, level + 1)
    }
  }

  for (const definition of document.definitions) {
    if ('selectionSet' in definition) compare([definition.selectionSet], 1)
  }
}

// All that is selected in some sets together, inline fragments and spreads opened, each fragment once.
function flatten(sets: readonly SelectionSetNode[], fragments: Fragments): SelectionNode[] {
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
