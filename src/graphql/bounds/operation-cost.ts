import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { type FieldCost, isFieldCost } from '../../schema/relay/field-cost.ts'
import { measureIntrospection } from './introspection-sizes.ts'
import { countItems, readArgument, type Variables } from './read-argument.ts'
import { refuseBeyond } from './refuse-bound.ts'

// Characters of an alias that cost one point: about the bytes of a field without alias in an answer.
const charactersOfPoint = 25

type ParentType = ReturnType<typeof getNamedType> | undefined

export interface CostRequest {
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Variables
  /** Leaves out `__schema` and `__type`, which have a bound of their own. */
  readonly withoutIntrospection?: boolean
}

/** The cost of an operation, in points. */
export type Price = (request: CostRequest) => number

/**
 * Returns a function that computes the highest cost of an operation, in points, by the `FieldCost` of its fields. It
 * runs before validation, so it accepts unknown fields and cycles. Each fragment is priced once. Throws
 * `BAD_USER_INPUT` for a list argument past the bound `listItems`.
 */
export function createPricing(schema: GraphQLSchema): Price {
  const introspection = measureIntrospection(schema)
  return request => operationCost({ ...request, schema, introspection })
}

// An answer repeats the alias with each occurrence of the field.
function costOfName({ alias }: FieldNode): number {
  return alias === undefined ? 0 : Math.floor(alias.value.length / charactersOfPoint)
}

interface PricingRequest extends CostRequest {
  readonly schema: GraphQLSchema
  readonly introspection: ReadonlyMap<string, number>
}

function operationCost(request: PricingRequest): number {
  const { schema, introspection, operation, fragments, variables, withoutIntrospection = false } = request
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
    refuseLongLists(node)
    if (withoutIntrospection && introspectionFields.has(node.name.value)) return 0
    const field = findField(parent, node.name.value)
    const own = field?.extensions.cost ?? priceOfIntrospection(parent, node.name.value)
    const priced = isFieldCost(own) ? readCost(own, node) : { once: 1, times: 1 }
    const { times } = priced
    const once = priced.once + costOfName(node)
    if (node.selectionSet === undefined) return once
    return once + times * priceSelections(node.selectionSet, field && getNamedType(field.type))
  }

  function refuseLongLists(node: FieldNode): void {
    for (const { name } of node.arguments ?? []) {
      const value = readArgument({ node, name: name.value, operation, variables })
      if (Array.isArray(value)) refuseBeyond('listItems', value.length)
    }
  }

  function priceOfIntrospection(parent: ParentType, name: string): FieldCost | undefined {
    // Only introspection types start with `__`.
    if (!parent?.name.startsWith('__')) return undefined
    const maxItems = introspection.get(`${parent.name}.${name}`)
    return maxItems === undefined ? undefined : { kind: 'list', maxItems }
  }

  function readCost(cost: FieldCost, node: FieldNode): { once: number; times: number } {
    if (cost.kind === 'fixed') return { once: cost.cost, times: 1 }
    const read = (name: string) => readArgument({ node, name, operation, variables })
    if (cost.kind === 'list') {
      const { narrowed } = cost
      const isNarrowed = narrowed !== undefined && read(narrowed.by) != null
      return { once: 1, times: isNarrowed ? narrowed.maxItems : cost.maxItems }
    }
    if (cost.kind === 'listOf') {
      const times = countItems(read(cost.argument))
      return { once: 1 + times * (cost.each ?? 0), times }
    }
    const size = read('first') ?? read('last') ?? cost.defaultItems
    const asked = typeof size === 'number' ? size : cost.defaultItems
    return { once: cost.once, times: Math.min(Math.max(asked, 1), cost.maxItems) }
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

// Every root type has `__schema` and `__type`, but does not list them. `__typename` costs 1, like an unknown field.
const introspectionFields = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map(field => [field.name, field]))

function findField(parent: ParentType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined
  return parent.getFields()[name] ?? introspectionFields.get(name)
}
