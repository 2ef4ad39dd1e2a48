import {
  type FragmentSpreadNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  getNamedType,
  type InlineFragmentNode,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { type Caller, hasScope, type Scope } from '../../credentials/caller.ts'
import { isIncluded } from '../is-included.ts'
import { refuseWithoutScope } from './refuse-without-scope.ts'

/**
 * Throws `FORBIDDEN` if a mutation selects a non-null field that the caller may not read. Its refusal after the change
 * would take the answer about the change with it. A nullable field is refused when it is read: it alone becomes null.
 */
export function refuseUnreadable(
  caller: Caller,
  { fieldNodes, returnType, fragments, schema, variableValues }: GraphQLResolveInfo,
): void {
  const opened = new Set<string>()

  function checkSet(typeName: string, set: SelectionSetNode | undefined): void {
    for (const selection of set?.selections ?? []) {
      if (isIncluded(selection, variableValues)) checkSelection(typeName, selection)
    }
  }

  function checkSelection(typeName: string, selection: SelectionNode): void {
    if (selection.kind !== Kind.FIELD) return openFragment(typeName, selection)
    const type = schema.getType(typeName)
    const field =
      isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined
    if (field === undefined) return
    const scope = missingScope(caller, field)
    if (scope !== null) {
      if (isNonNullType(field.type)) refuseWithoutScope(caller, scope, `${typeName}.${field.name}`)
      return
    }
    checkSet(getNamedType(field.type).name, selection.selectionSet)
  }

  function openFragment(typeName: string, selection: InlineFragmentNode | FragmentSpreadNode): void {
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return checkSet(selection.typeCondition?.name.value ?? typeName, selection.selectionSet)
    }
    const { value: name } = selection.name
    const fragment = fragments[name]
    if (fragment === undefined || opened.has(name)) return
    opened.add(name)
    checkSet(fragment.typeCondition.name.value, fragment.selectionSet)
  }

  for (const { selectionSet } of fieldNodes) checkSet(getNamedType(returnType).name, selectionSet)
}

/** Returns the scope that a field needs and the caller lacks, or null. */
export function missingScope(caller: Caller, { extensions }: GraphQLField<unknown, unknown>): Scope | null {
  const scope = extensions.scope as Scope | undefined
  return scope === undefined || hasScope(caller, scope) ? null : scope
}
