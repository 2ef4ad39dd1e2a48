import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { type FieldCost, isFieldCost } from '../schema/field-cost.ts'
import { countItems, readArgument, type Variables } from './read-argument.ts'

type ParentType = ReturnType<typeof getNamedType> | undefined

interface CostRequest {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Variables
}

/**
 * The most that an operation can cost, before validation: each field 1, what is below a list once for each item it can
 * have. Each fragment is priced once; unknown fields and cycles, which validation refuses later, are tolerated.
 */
export function operationCost({ schema, operation, fragments, variables }: CostRequest): number {
  const priced = new Map<string, number>()

  function priceSelections(set: SelectionSetNode, parent: ParentType): number {
    let sum = 0
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) sum += priceField(selection, parent)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) sum += priceFragment(selection.name.value)
      else sum += priceSelections(selection.selectionSet, narrow(selection.typeCondition?.name.value, parent))
    }
    return sum
  }

  function priceField(node: FieldNode, parent: ParentType): number {
    const field = findField(parent, node.name.value)
    const own = field?.extensions.cost
    const { once, times } = isFieldCost(own) ? readCost(own, node) : { once: 1, times: 1 }
    if (node.selectionSet === undefined) return once
    return once + times * priceSelections(node.selectionSet, field && getNamedType(field.type))
  }

  function readCost(cost: FieldCost, node: FieldNode): { once: number; times: number } {
    if (cost.kind === 'fixed') return { once: cost.cost, times: 1 }
    const read = (name: string) => readArgument({ node, name, operation, variables })
    if (cost.kind === 'listOf') return { once: 1, times: countItems(read(cost.argument)) }
    const size = read('first') ?? read('last') ?? cost.byDefault
    const asked = typeof size === 'number' ? size : cost.byDefault
    return { once: 1, times: Math.min(Math.max(asked, 1), cost.most) }
  }

  function priceFragment(name: string): number {
    const known = priced.get(name)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    if (fragment === undefined) return 0
    priced.set(name, 0)
    const price = priceSelections(fragment.selectionSet, narrow(fragment.typeCondition.name.value, undefined))
    priced.set(name, price)
    return price
  }

  function narrow(condition: string | undefined, parent: ParentType): ParentType {
    return condition === undefined ? parent : schema.getType(condition)
  }

  return priceSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined)
}

function findField(parent: ParentType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (!isCompositeType(parent)) return undefined
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
}
