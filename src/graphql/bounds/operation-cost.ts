import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { type FieldCost, isFieldCost } from '../../schema/relay/field-cost.ts'
import { type Fragments, isIntrospection } from './measure-selections.ts'
import { countItems, readArgument, readMembers, type Variables } from './read-argument.ts'
import { refuseBeyond } from './refuse-bound.ts'

// Number of alias characters that cost one point. A field without an alias takes about as many bytes in an answer.
const charactersOfPoint = 25

type PageCost = Extract<FieldCost, { kind: 'page' }>

type ParentType = ReturnType<typeof getNamedType> | undefined

export interface CostRequest {
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  readonly variables: Variables
}

/** The cost of an operation, in points. */
export type Price = (request: CostRequest) => number

/**
 * Returns a function that computes the highest cost of an operation, in points, by the `FieldCost` of its fields. It
 * runs before validation, so it accepts unknown fields and cycles. `__schema` and `__type` cost nothing, because
 * they have bounds of their own. Throws `BAD_USER_INPUT` for a list argument past the bound `listItems`.
 */
export function createPricing(schema: GraphQLSchema): Price {
  return request => operationCost({ ...request, schema })
}

// Returns the cost of a field's alias, because the answer repeats the alias each time the field occurs.
function costOfName({ alias }: FieldNode): number {
  return alias === undefined ? 0 : Math.floor(alias.value.length / charactersOfPoint)
}

interface Points {
  /** Cost for each parent object. */
  readonly each: number
  /** Cost for all parent objects together. */
  readonly inAll: number
}

const nothing: Points = { each: 0, inAll: 0 }

// Maximum number of parents that pricing tells apart: with more, a shared list has no more items, because `maxInAll` is
// at most 16 times `maxItems`. Each fragment is priced once for each number of parents.
const maxParents = 16

interface PricingRequest extends CostRequest {
  readonly schema: GraphQLSchema
}

function operationCost({ schema, operation, fragments, variables }: PricingRequest): number {
  const priced = new Map<string, Points>()

  function priceSelections(set: SelectionSetNode, parent: ParentType, parents: number): Points {
    let each = 0
    let inAll = 0
    for (const selection of set.selections) {
      const points = priceSelection(selection, parent, parents)
      each += points.each
      inAll += points.inAll
    }
    return { each, inAll }
  }

  function priceSelection(selection: SelectionNode, parent: ParentType, parents: number): Points {
    if (selection.kind === Kind.FIELD) return priceField(selection, parent, parents)
    if (selection.kind === Kind.FRAGMENT_SPREAD) return priceFragment(selection.name.value, parents)
    const type = narrow(selection.typeCondition?.name.value, parent)
    return priceSelections(selection.selectionSet, type, parents)
  }

  function priceField(node: FieldNode, parent: ParentType, parents: number): Points {
    refuseLongLists(node)
    if (isIntrospection(node)) return nothing
    const field = findField(parent, node.name.value)
    const own = field?.extensions.cost
    const cost: FieldCost = isFieldCost(own) ? own : { kind: 'fixed', cost: 1 }
    const priced = readCost(cost, node)
    const once = priced.once + costOfName(node)
    if (node.selectionSet === undefined) return { each: once, inAll: 0 }
    const count = Math.min(parents * priced.times, maxParents)
    const { each, inAll } = priceSelections(node.selectionSet, field && getNamedType(field.type), count)
    if (cost.kind !== 'sharedList') return { each: once + priced.times * each, inAll }
    return { each: once, inAll: Math.min(parents * cost.maxItems, cost.maxInAll) * each + inAll }
  }

  function refuseLongLists(node: FieldNode): void {
    for (const { name } of node.arguments ?? []) {
      const value = readArgument({ node, name: name.value, operation, variables })
      if (Array.isArray(value)) refuseBeyond('listItems', value.length)
    }
  }

  function readCost(cost: FieldCost, node: FieldNode): { once: number; times: number } {
    if (cost.kind === 'fixed') return { once: cost.cost, times: 1 }
    if (cost.kind === 'sharedList') return { once: cost.once, times: cost.maxItems }
    const requestOf = (name: string) => ({ node, name, operation, variables })
    const read = (name: string) => readArgument(requestOf(name))
    if (cost.kind === 'list') {
      const { narrowed } = cost
      const isNarrowed = narrowed !== undefined && read(narrowed.by) != null
      return { once: 1, times: isNarrowed ? narrowed.maxItems : cost.maxItems }
    }
    if (cost.kind === 'listOf') {
      const times = countItems(read(cost.argument))
      return { once: 1 + times * (cost.each ?? 0), times }
    }
    const { search, once } = cost
    const searched = once + priceSearch(search, by => readMembers(requestOf(by)))
    return { once: searched, times: countPage(read('first') ?? read('last'), cost) }
  }

  function priceFragment(name: string, parents: number): Points {
    const key = `${parents} ${name}`
    const known = priced.get(name) ?? priced.get(key)
    if (known !== undefined) return known
    const fragment = fragments.get(name)
    if (fragment === undefined) return nothing
    priced.set(key, nothing)
    const type = narrow(fragment.typeCondition.name.value, undefined)
    const price = priceSelections(fragment.selectionSet, type, parents)
    // Without a shared list below the fragment, its price does not depend on the number of parents.
    priced.set(price.inAll === 0 ? name : key, price)
    return price
  }

  function narrow(condition: string | undefined, parent: ParentType): ParentType {
    return condition === undefined ? parent : schema.getType(condition)
  }

  const root = schema.getRootType(operation.operation) ?? undefined
  const { each, inAll } = priceSelections(operation.selectionSet, root, 1)
  return each + inAll
}

function priceSearch(search: PageCost['search'], readMembers: (name: string) => readonly string[]): number {
  const [first, ...others] = search === undefined ? [] : readMembers(search.by)
  if (first === undefined || search === undefined) return 0
  return others.length === 0 && search.unless.includes(first) ? 0 : search.cost
}

function countPage(asked: unknown, { defaultItems, maxItems }: PageCost): number {
  const size = typeof asked === 'number' ? asked : defaultItems
  return Math.min(Math.max(size, 1), maxItems)
}

function findField(parent: ParentType, name: string): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
}
