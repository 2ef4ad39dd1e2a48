import {
  type GraphQLResolveInfo,
  getDirectiveValues,
  GraphQLIncludeDirective as includeDirective,
  type SelectionNode,
  GraphQLSkipDirective as skipDirective,
} from 'graphql'

type Variables = GraphQLResolveInfo['variableValues']

/** False for a selection that `@skip` or `@include` leaves out. Conditions on variables need `variables`. */
export function isIncluded(node: SelectionNode, variables?: Variables): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true
  if (getDirectiveValues(skipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(includeDirective, node, variables)?.if !== false
}
