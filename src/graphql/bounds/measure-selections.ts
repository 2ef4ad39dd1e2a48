import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'

export interface SelectionShape {
  /** Levels of fields below this selection set. */
  readonly depth: number
  /** Fields of this selection set and of its fragments, as written. */
  readonly fields: number
}

const empty: SelectionShape = { depth: 0, fields: 0 }

/**
 * Returns a function that measures a selection set. Each fragment is measured once, so nested spreads stay cheap. A
 * cycle counts as empty; validation refuses it later.
 */
export function createSelectionMeasure(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): (selections: SelectionSetNode) => SelectionShape {
  const measured = new Map<string, SelectionShape>()

  function measure(set: SelectionSetNode): SelectionShape {
    let depth = 0
    let fields = 0
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        fields += 1
        depth = Math.max(depth, 1 + depthBelow(selection.name.value, selection.selectionSet))
        continue
      }
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT
          ? measure(selection.selectionSet)
          : measureFragment(selection.name.value)
      fields += inner.fields
      depth = Math.max(depth, inner.depth)
    }
    return { depth, fields }
  }

  function depthBelow(field: string, set: SelectionSetNode | undefined): number {
    if (set === undefined || field === '__schema' || field === '__type') return 0
    return measure(set).depth
  }

  function measureFragment(name: string): SelectionShape {
    const known = measured.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    if (fragment === undefined) return empty
    measured.set(name, empty)
    const shape = measure(fragment.selectionSet)
    measured.set(name, shape)
    return shape
  }

  return measure
}

export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  return fragments
}
