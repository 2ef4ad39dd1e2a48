import {
  type FieldNode,
  type FragmentDefinitionNode,
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

export interface IntrospectionRequest {
  /** From a valid document. */
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

type Field = GraphQLField<unknown, unknown>

const rootFields: readonly Field[] = [SchemaMetaFieldDef, TypeMetaFieldDef]
// Quotes, colon and comma of a field, brackets of an object or a list.
const bytesAroundName = 4
const bytesOfBrackets = 2

/**
 * Returns a function that computes the largest JSON, in bytes, of an operation's `__schema` and `__type` fields. It
 * does not make the answer: repeated parts are measured once. Conditions count as true, and a `__type` with a variable
 * name counts as the largest type.
 */
export function createIntrospectionMeasure(schema: GraphQLSchema): (request: IntrospectionRequest) => number {
  const info = { schema } as GraphQLResolveInfo
  const types = Object.keys(schema.getTypeMap())
  // For cached documents, because the schema never changes.
  const known = new WeakMap<OperationDefinitionNode, number>()

  return request => {
    const bytes = known.get(request.operation) ?? measure(request)
    known.set(request.operation, bytes)
    return bytes
  }

  function measure({ operation, fragments }: IntrospectionRequest): number {
    const measured = new Map<SelectionSetNode, Map<unknown, number>>()

    function fieldsOf(set: SelectionSetNode): FieldNode[] {
      return set.selections.flatMap(selection => {
        if (selection.kind === Kind.FIELD) return [selection]
        if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet)
        const fragment = fragments.get(selection.name.value)
        return fragment === undefined ? [] : fieldsOf(fragment.selectionSet)
      })
    }

    function measureObject(set: SelectionSetNode, type: GraphQLObjectType, source: unknown): number {
      const ofSet = measured.get(set) ?? new Map<unknown, number>()
      measured.set(set, ofSet)
      const known = ofSet.get(source)
      if (known !== undefined) return known
      const fields = type.getFields()
      let bytes = bytesOfBrackets
      for (const node of fieldsOf(set)) {
        const field = fields[node.name.value]
        bytes +=
          field === undefined ? bytesOfName(node) + type.name.length : measureField(node, field, source)
      }
      ofSet.set(source, bytes)
      return bytes
    }

    function measureField(node: FieldNode, field: Field, source: unknown, name?: string): number {
      const value = field.resolve?.(source, { name, includeDeprecated: true }, undefined, info)
      return bytesOfName(node) + measureValue(node, field.type, value)
    }

    function measureValue(node: FieldNode, wrapped: GraphQLOutputType, value: unknown): number {
      const type = getNullableType(wrapped)
      if (value == null) return 'null'.length
      if (isListType(type)) {
        return [...(value as Iterable<unknown>)].reduce<number>(
          (bytes, item) => bytes + 1 + measureValue(node, type.ofType, item),
          bytesOfBrackets,
        )
      }
      if (isLeafType(type)) return Buffer.byteLength(JSON.stringify(type.serialize(value)))
      const set = node.selectionSet
      return set === undefined ? 0 : measureObject(set, type as GraphQLObjectType, value)
    }

    function measureRoot(node: FieldNode): number {
      const field = rootFields.find(({ name }) => name === node.name.value)
      if (field === undefined) return 0
      const given = node.arguments?.[0]?.value
      const names = given?.kind === Kind.VARIABLE ? types : [given?.kind === Kind.STRING ? given.value : '']
      return Math.max(...names.map(name => measureField(node, field, undefined, name)))
    }

    return fieldsOf(operation.selectionSet).reduce((bytes, node) => bytes + measureRoot(node), 0)
  }
}

function bytesOfName({ alias, name }: FieldNode): number {
  return bytesAroundName + (alias ?? name).value.length
}
