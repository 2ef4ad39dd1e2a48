import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { bounds } from './bounds.ts'
import type { Fragments } from './measure-selections.ts'
import { flattenSelections } from './refuse-repetition.ts'

export interface IntrospectionRequest {
  /** An operation of a valid document. */
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
}

/** The maximum size of the answer to an operation, without computing the answer. */
export interface IntrospectionSize {
  /** `Infinity` if measuring stopped at the bound. */
  readonly fields: number
  readonly bytes: number
}

type Field = GraphQLField<unknown, unknown>

const rootFields: readonly Field[] = [SchemaMetaFieldDef, TypeMetaFieldDef]
// Bytes around a name in JSON: two quotes, a colon and a comma.
const bytesAroundName = 4
const bytesOfBrackets = 2
const bytesOfComma = 1

const nothing: IntrospectionSize = { fields: 0, bytes: 0 }

/**
 * Returns a function that computes the largest possible JSON of an operation's `__schema` and `__type` fields, without
 * making it. Repeated parts are measured once, and measuring stops at the bound, so it never takes long. Conditions
 * count as true, and a `__type` whose name is a variable counts as all types.
 */
export function createIntrospectionMeasure(
  schema: GraphQLSchema,
): (request: IntrospectionRequest) => IntrospectionSize {
  const info = { schema } as GraphQLResolveInfo
  const types = Object.keys(schema.getTypeMap())
  // Measured sizes of cached documents. They stay valid because the schema never changes.
  const known = new WeakMap<OperationDefinitionNode, IntrospectionSize>()

  return request => {
    const size = known.get(request.operation) ?? measure(request)
    known.set(request.operation, size)
    return size
  }

  function measure({ operation, fragments }: IntrospectionRequest): IntrospectionSize {
    const measured = new Map<SelectionSetNode, Map<unknown, IntrospectionSize>>()
    const collected = new Map<SelectionSetNode, readonly FieldNode[]>()
    let measuredFields = 0

    const isOver = () => measuredFields > bounds.introspectionFields

    function fieldsOf(set: SelectionSetNode): readonly FieldNode[] {
      const known = collected.get(set)
      if (known !== undefined) return known
      const fields = flattenSelections([set], fragments).flatMap(selection =>
        selection.kind === Kind.FIELD ? [selection] : [],
      )
      collected.set(set, fields)
      return fields
    }

    function measureObject(
      set: SelectionSetNode,
      type: GraphQLObjectType,
      source: unknown,
    ): IntrospectionSize {
      const known = measured.get(set)?.get(source)
      if (known !== undefined) return known
      const fields = type.getFields()
      const size = { fields: 0, bytes: bytesOfBrackets }
      for (const node of fieldsOf(set)) {
        if (isOver()) break
        add(size, measureName(node))
        const field = fields[node.name.value]
        // `__typename` is the only field that `getFields` does not list.
        if (field === undefined) size.bytes += bytesOfLeaf(type.name)
        else add(size, measureField(node, field, source))
      }
      measured.getOrInsertComputed(set, () => new Map()).set(source, size)
      return size
    }

    function measureField(node: FieldNode, field: Field, source: unknown, name?: string): IntrospectionSize {
      const value = field.resolve?.(source, { name, includeDeprecated: true }, undefined, info)
      return measureValue(node, field.type, value)
    }

    function measureName({ alias, name }: FieldNode): IntrospectionSize {
      measuredFields += 1
      return { fields: 1, bytes: bytesAroundName + (alias ?? name).value.length }
    }

    function measureValue(node: FieldNode, wrapped: GraphQLOutputType, value: unknown): IntrospectionSize {
      const type = getNullableType(wrapped)
      if (value == null) return { fields: 0, bytes: 'null'.length }
      if (isLeafType(type)) return { fields: 0, bytes: bytesOfLeaf(type.serialize(value)) }
      if (isListType(type)) return measureItems(node, type.ofType, value as Iterable<unknown>)
      const set = node.selectionSet
      return set === undefined ? nothing : measureObject(set, type as GraphQLObjectType, value)
    }

    function measureItems(
      node: FieldNode,
      type: GraphQLOutputType,
      items: Iterable<unknown>,
    ): IntrospectionSize {
      const size = { fields: 0, bytes: bytesOfBrackets }
      for (const item of items) {
        if (isOver()) break
        add(size, measureValue(node, type, item))
        size.bytes += bytesOfComma
      }
      return size
    }

    function measureRoot(node: FieldNode): IntrospectionSize {
      const field = rootFields.find(({ name }) => name === node.name.value)
      if (field === undefined || isOver()) return nothing
      const given = node.arguments?.[0]?.value
      const names = given?.kind === Kind.VARIABLE ? types : [given?.kind === Kind.STRING ? given.value : '']
      return sum(names.flatMap(name => [measureName(node), measureField(node, field, undefined, name)]))
    }

    const { fields, bytes } = sum(fieldsOf(operation.selectionSet).map(measureRoot))
    return { fields: isOver() ? Number.POSITIVE_INFINITY : fields, bytes }
  }
}

interface Sum {
  fields: number
  bytes: number
}

function add(sum: Sum, { fields, bytes }: IntrospectionSize): void {
  sum.fields += fields
  sum.bytes += bytes
}

function sum(sizes: readonly IntrospectionSize[]): IntrospectionSize {
  const all = { ...nothing }
  for (const size of sizes) add(all, size)
  return all
}

function bytesOfLeaf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
