import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'

/**
 * The largest number of items of each introspection list, by type and field; these fields have no `FieldCost`.
 * Arguments and input fields count with their mean: most lists are short, and tools ask for those of all fields and
 * types at once. The bound `introspectionBytes` measures what the longest ones take.
 */
export function measureIntrospection(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const types = Object.values(schema.getTypeMap())
  const directives = schema.getDirectives()
  const fields = types.flatMap(type =>
    isObjectType(type) || isInterfaceType(type) ? [Object.values(type.getFields())] : [],
  )
  const inputs = types.flatMap(type => (isInputObjectType(type) ? [Object.keys(type.getFields())] : []))
  const values = types.flatMap(type => (isEnumType(type) ? [type.getValues()] : []))
  const members = types.flatMap(type => (isUnionType(type) ? [type.getTypes()] : []))
  const parents = types.flatMap(type => (isObjectType(type) ? [type.getInterfaces()] : []))
  return new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    ['__Type.fields', longest(fields)],
    ['__Type.inputFields', mean(inputs)],
    ['__Type.enumValues', longest(values)],
    ['__Type.possibleTypes', longest(members)],
    ['__Type.interfaces', longest(parents)],
    ['__Field.args', mean(fields.flatMap(each => each.map(({ args }) => args)))],
    ['__Directive.args', longest(directives.map(({ args }) => args))],
    ['__Directive.locations', longest(directives.map(({ locations }) => locations))],
  ])
}

// At least 1, because an empty list takes work as well.
function longest(lists: readonly (readonly unknown[])[]): number {
  return Math.max(1, ...lists.map(list => list.length))
}

function mean(lists: readonly (readonly unknown[])[]): number {
  return Math.max(1, Math.ceil(lists.flat().length / Math.max(1, lists.length)))
}
