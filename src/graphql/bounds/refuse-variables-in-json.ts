import {
  GraphQLError,
  type GraphQLNamedType,
  getNamedType,
  isSpecifiedScalarType,
  typeFromAST,
  type ValidationRule,
} from 'graphql'

/**
 * Refuses a variable inside a JSON literal unless its value there is the JSON that the client sent. A `DateTime` or an
 * enum is another value once graphql-js has read it.
 */
export const refuseVariablesInJson: ValidationRule = context => ({
  OperationDefinition(operation) {
    for (const { node, type } of context.getRecursiveVariableUsages(operation)) {
      // Only places inside a JSON literal have no type.
      if (type != null) continue
      const name = node.name.value
      const definition = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name)
      const declared = definition && getNamedType(typeFromAST(context.getSchema(), definition.type))
      if (declared === undefined || isJson(declared)) continue
      const message = `A variable inside a JSON value cannot be a \`${declared.name}\`; declare \`$${name}\` as \`JSON\`.`
      context.reportError(new GraphQLError(message, { nodes: node }))
    }
  },
})

function isJson(type: GraphQLNamedType): boolean {
  return type.name === 'JSON' || isSpecifiedScalarType(type)
}
