import {
  type DocumentNode,
  defaultFieldResolver,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql'
import type { RequestContext } from '../../context.ts'
import { type CoerceVariables, planVariables } from './coerce-variables.ts'
import { collectFields, type FieldNodes, recordFragments } from './collect-fields.ts'
import { planArguments, type ReadArguments } from './read-arguments.ts'
import { planSync, type SerializeSync } from './serialize-sync.ts'

/** How a value is completed. */
export type Completion =
  | {
      readonly kind: 'leaf'
      readonly isNonNull: boolean
      readonly serializeSync: SerializeSync
      readonly serialize: (value: unknown) => unknown
    }
  | { readonly kind: 'list'; readonly isNonNull: boolean; readonly item: Completion }
  | { readonly kind: 'object'; readonly isNonNull: boolean; readonly selection: SelectionPlan }

export interface FieldPlan {
  /** The response name. */
  readonly key: string
  readonly nodes: FieldNodes
  readonly field: GraphQLField<unknown, RequestContext>
  readonly parentType: GraphQLObjectType
  readonly resolve: GraphQLFieldResolver<unknown, RequestContext>
  /** The property of the parent object that is the field's value; null if the field has a resolver. */
  readonly property: string | null
  /** False if the resolver has fewer than four parameters, so that its `info` argument need not be created. */
  readonly takesInfo: boolean
  readonly readArguments: ReadArguments
  readonly completion: Completion
}

export interface SelectionPlan {
  readonly type: GraphQLObjectType
  readonly fields: readonly FieldPlan[]
  /** The cost of these fields without their selections. */
  readonly work: number
}

export interface OperationPlan {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly coerceVariables: CoerceVariables
  readonly root: SelectionPlan
  /** Number of fields after all fragments are expanded. It decides the memory and the compile time of the plan. */
  readonly fieldCount: number
}

// Maximum number of fields in a plan. A document within all bounds can expand its fragments into far more.
const maxFields = 5_000

interface CompileRequest {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
}

/**
 * Compiles an operation of a valid document. Returns null for operations left to graphql-js: introspection, conditions
 * on variables, abstract types, and response names such as `__proto__`.
 */
export function compileOperation({ schema, document, operation }: CompileRequest): OperationPlan | null {
  const type = schema.getRootType(operation.operation)
  const coerceVariables = planVariables(schema, operation)
  if (type == null || coerceVariables === null || hasUnplannable(document)) return null
  const fragments = recordFragments(document)
  const compiler = createCompiler(schema, fragments)
  try {
    const root = compiler.planSelection(type, [operation.selectionSet])
    return { schema, operation, fragments, coerceVariables, root, fieldCount: compiler.fieldCount() }
  } catch (error) {
    if (error === unplannable) return null
    throw error
  }
}

const unplannable = Symbol('unplannable')

function createCompiler(schema: GraphQLSchema, fragments: OperationPlan['fragments']) {
  let fieldCount = 0

  function planSelection(
    type: GraphQLObjectType,
    sets: readonly (OperationDefinitionNode['selectionSet'] | undefined)[],
  ): SelectionPlan {
    const given = sets.filter(set => set !== undefined)
    const collected = collectFields({ schema, fragments, type, sets: given })
    const fields = [...collected].map(([key, nodes]) => planField(key, nodes, type))
    return { type, fields, work: fields.reduce((sum, field) => sum + workOf(field), 0) }
  }

  function planField(key: string, nodes: FieldNodes, parentType: GraphQLObjectType): FieldPlan {
    if (++fieldCount > maxFields) throw unplannable
    const [node] = nodes
    const name = node.name.value
    const field = name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : parentType.getFields()[name]
    if (field === undefined) throw unplannable
    const resolve = field.resolve ?? defaultFieldResolver
    return {
      key,
      nodes,
      field,
      parentType,
      resolve,
      property: resolve === defaultFieldResolver && field.args.length === 0 ? field.name : null,
      // A function with rest parameters has length 0, and may read `info`.
      takesInfo: resolve.length === 0 || resolve.length > 3,
      readArguments: planArguments(field, node),
      completion: planCompletion(field.type, nodes, false),
    }
  }

  function planCompletion(type: GraphQLOutputType, nodes: FieldNodes, isNonNull: boolean): Completion {
    if (isNonNullType(type)) return planCompletion(type.ofType, nodes, true)
    if (isListType(type)) return { kind: 'list', isNonNull, item: planCompletion(type.ofType, nodes, false) }
    if (isLeafType(type)) {
      const serialize = (value: unknown) => type.serialize(value)
      return { kind: 'leaf', isNonNull, serializeSync: planSync(type), serialize }
    }
    if (!isObjectType(type) || type.isTypeOf != null) throw unplannable
    const sets = nodes.map(({ selectionSet }) => selectionSet)
    return { kind: 'object', isNonNull, selection: planSelection(type, sets) }
  }

  return { planSelection, fieldCount: () => fieldCount }
}

const workOfResolver = 5

function workOf({ property }: FieldPlan): number {
  return property === null ? workOfResolver : 1
}

function hasUnplannable(document: DocumentNode): boolean {
  let found = false
  visit(document, {
    Name({ value }) {
      if (value === '__proto__') found = true
    },
    Directive({ arguments: given = [] }) {
      if (given.some(({ value }) => value.kind === Kind.VARIABLE)) found = true
    },
  })
  return found
}
