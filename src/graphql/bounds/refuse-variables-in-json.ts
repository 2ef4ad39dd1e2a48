import {
  type ArgumentNode,
  GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  isSpecifiedScalarType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  typeFromAST,
  type ValidationContext,
  type ValidationRule,
  type VariableNode,
  visit,
} from 'graphql'

/**
 * Refuses a variable inside a JSON literal unless its value there is the JSON that the client sent; that of an `ID` is
 * its text. A `DateTime` or an enum is another value once graphql-js has read it.
 */
export const refuseVariablesInJson: ValidationRule = context => {
  const inside = new Set<VariableNode>()

  function collect({ value }: ArgumentNode | ObjectFieldNode): void {
    const type = context.getInputType()
    if (type == null || getNamedType(type).name !== 'JSON') return
    visit(value, { Variable: node => void inside.add(node) })
  }

  return {
    Argument: collect,
    ObjectField: collect,
    Document: {
      leave({ definitions }) {
        for (const definition of definitions)
          if (definition.kind === Kind.OPERATION_DEFINITION) refuseIn(context, definition, inside)
      },
    },
  }
}

function refuseIn(
  context: ValidationContext,
  operation: OperationDefinitionNode,
  inside: ReadonlySet<VariableNode>,
): void {
  for (const { node } of context.getRecursiveVariableUsages(operation)) {
    if (!inside.has(node)) continue
    const name = node.name.value
    const definition = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name)
    const declared = definition && getNamedType(typeFromAST(context.getSchema(), definition.type))
    if (declared === undefined || isJson(declared)) continue
    const fault = `A variable inside a JSON value cannot be a \`${declared.name}\``
    context.reportError(new GraphQLError(`${fault}; declare \`$${name}\` as \`JSON\`.`, { nodes: node }))
  }
}

function isJson(type: GraphQLNamedType): boolean {
  return type.name === 'JSON' || isSpecifiedScalarType(type)
}
