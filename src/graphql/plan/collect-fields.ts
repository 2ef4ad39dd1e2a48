import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import { isIncluded } from '../../schema/is-included.ts'
import type { Values } from './read-arguments.ts'

export type FieldNodes = readonly [FieldNode, ...FieldNode[]]

interface CollectRequest {
  readonly schema: GraphQLSchema
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly type: GraphQLObjectType
  readonly sets: readonly SelectionSetNode[]
  /** Coerced variables for conditions; without them conditions must be literal. */
  readonly variables?: Values | undefined
}

/**
 * Collects the fields of selection sets for an object type like graphql-js (June 2018, 6.3.2): nodes by response name,
 * in the order of their first occurrence.
 */
export function collectFields({
  schema,
  fragments,
  type,
  sets,
  variables,
}: CollectRequest): ReadonlyMap<string, FieldNodes> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>()
  const visited = new Set<string>()

  function collect(set: SelectionSetNode): void {
    for (const selection of set.selections) {
      if (!isIncluded(selection, variables)) continue
      if (selection.kind === Kind.FIELD) addField(selection)
      else openFragment(selection)
    }
  }

  function addField(node: FieldNode): void {
    const name = node.alias?.value ?? node.name.value
    const nodes = fields.get(name)
    if (nodes === undefined) fields.set(name, [node])
    else nodes.push(node)
  }

  function openFragment(selection: InlineFragmentNode | FragmentSpreadNode): void {
    if (selection.kind === Kind.INLINE_FRAGMENT) return collectMatching(selection)
    const name = selection.name.value
    if (visited.has(name)) return
    visited.add(name)
    const fragment = fragments[name]
    if (fragment !== undefined) collectMatching(fragment)
  }

  function collectMatching({
    typeCondition,
    selectionSet,
  }: InlineFragmentNode | FragmentDefinitionNode): void {
    const condition = typeCondition === undefined ? type : typeFromAST(schema, typeCondition)
    const matches = condition === type || (isAbstractType(condition) && schema.isSubType(condition, type))
    if (matches) collect(selectionSet)
  }

  for (const set of sets) collect(set)
  return fields
}

/** Returns the fragments of a document by their names. */
export function recordFragments({ definitions }: DocumentNode): CollectRequest['fragments'] {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null)
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition
  }
  return fragments
}
