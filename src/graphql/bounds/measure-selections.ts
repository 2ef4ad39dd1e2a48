import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'

/** The fragments of a document by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export interface SelectionShape {
  /** Levels of fields, without the fields below `__schema` and `__type`. */
  readonly depth: number
  /** Levels of fields from `__schema` or `__type` downwards. */
  readonly introspectionDepth: number
  /** Levels of nested fields that are named like a list of a type's members, such as `fields`. */
  readonly memberLists: number
  /** Levels of such lists from `__schema` or `__type` downwards. */
  readonly introspectionLists: number
  /** Fields of this selection set and of its fragments, as written. */
  readonly fields: number
}

const empty: SelectionShape = {
  depth: 0,
  introspectionDepth: 0,
  memberLists: 0,
  introspectionLists: 0,
  fields: 0,
}

// The fields of `__Type` whose lists lead to other types.
const memberLists = new Set(['fields', 'interfaces', 'possibleTypes', 'inputFields'])

/**
 * Returns a function that measures a selection set. Each fragment is measured once, so nested spreads stay cheap. A
 * cycle counts as empty; validation refuses it later.
 */
export function createSelectionMeasure(
  fragments: Fragments,
): (selections: SelectionSetNode) => SelectionShape {
  const measured = new Map<string, SelectionShape>()

  function measure(set: SelectionSetNode): SelectionShape {
    return set.selections.map(measureSelection).reduce(
      (sum, each) => ({
        depth: Math.max(sum.depth, each.depth),
        introspectionDepth: Math.max(sum.introspectionDepth, each.introspectionDepth),
        memberLists: Math.max(sum.memberLists, each.memberLists),
        introspectionLists: Math.max(sum.introspectionLists, each.introspectionLists),
        fields: sum.fields + each.fields,
      }),
      empty,
    )
  }

  function measureSelection(selection: SelectionNode): SelectionShape {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(selection.name.value)
    if (selection.kind === Kind.INLINE_FRAGMENT) return measure(selection.selectionSet)
    const below = selection.selectionSet ? measure(selection.selectionSet) : empty
    if (isIntrospection(selection)) {
      const { depth, memberLists: introspectionLists } = below
      return { ...empty, depth: 1, introspectionDepth: 1 + depth, introspectionLists, fields: 1 }
    }
    const lists = below.memberLists + (memberLists.has(selection.name.value) ? 1 : 0)
    return { ...below, depth: 1 + below.depth, memberLists: lists, fields: 1 }
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

export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  return fragments
}

const introspectionFields = [SchemaMetaFieldDef.name, TypeMetaFieldDef.name]

/** True if a field is `__schema` or `__type`. Introspection has bounds of its own. */
export function isIntrospection({ name }: FieldNode): boolean {
  return introspectionFields.includes(name.value)
}
