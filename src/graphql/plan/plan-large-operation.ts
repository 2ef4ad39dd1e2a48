import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql'
import { isIncluded } from '../../schema/is-included.ts'
import { cannotCoerce, planVariables } from './coerce-variables.ts'
import { compileOperation, type OperationPlan } from './compile-operation.ts'
import type { Values } from './read-arguments.ts'

interface LargeOperation {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Values
}

/**
 * Plans one execution of an operation whose conditions depend on variables. Returns null if the variables are wrong or
 * the operation cannot be planned for another reason.
 */
export function planLargeOperation(large: LargeOperation): OperationPlan | null {
  const { schema, document, operation } = large
  const variables = planVariables(schema, operation)?.(large.variables) ?? cannotCoerce
  if (variables === cannotCoerce) return null
  const settled = applyConditions(withoutOthers(document, operation), variables)
  const [node] = settled.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return compileOperation({ schema, document: settled, operation: node as OperationDefinitionNode })
}

// Removes all other operations, because the variables belong to this one.
function withoutOthers(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  const definitions = document.definitions.filter(
    definition => definition === operation || definition.kind !== Kind.OPERATION_DEFINITION,
  )
  return { ...document, definitions }
}

function applyConditions(document: DocumentNode, variables: Values): DocumentNode {
  const settle = (node: SelectionNode): SelectionNode | null | undefined => {
    if (node.directives === undefined || node.directives.length === 0) return undefined
    return isIncluded(node, variables) ? { ...node, directives: [] } : null
  }
  return visit(document, { Field: settle, InlineFragment: settle, FragmentSpread: settle })
}
