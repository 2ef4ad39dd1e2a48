import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { tooRepetitive } from './refuse-bound.ts'

// Validation takes about 10 ms for these numbers. It stops by itself at ten times as many.
const maxPairs = 50_000
const maxVisits = 20_000

// The bound `depth` was checked before. Only cycles, which validation refuses, and introspection go deeper.
const maxLevel = 30

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * Refuses a document that selects the same fields so often that validation, which compares each pair, takes long.
 * Counts as validation merges: by response name, through fragments, level by level.
 */
export function refuseRepetition(document: DocumentNode, fragments: Fragments): void {
  let pairs = 0
  let visits = 0

  function compare(sets: readonly SelectionSetNode[], level: number): void {
    const selections = flatten(sets, fragments)
    visits += selections.length
    if (visits > maxVisits) throw tooRepetitive()
    const fields = selections.filter(selection => selection.kind === Kind.FIELD)
    for (const same of Map.groupBy(fields, responseName).values()) {
      pairs += (same.length * (same.length - 1)) / 2
      if (pairs > maxPairs) throw tooRepetitive()
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? [])
      if (below.length > 0 && level < maxLevel) compare(below, level + 1)
    }
  }

  for (const definition of document.definitions) {
    if ('selectionSet' in definition) compare([definition.selectionSet], 1)
  }
}

// The selections of several sets together, with those of their fragments, each fragment once.
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
