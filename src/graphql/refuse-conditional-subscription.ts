import { GraphQLError, type ValidationRule } from 'graphql'

const conditions = new Set(['skip', 'include'])

/** A subscription follows one field whatever its variables say: graphql-js fails where a condition leaves it none. */
export const refuseConditionalSubscription: ValidationRule = context => ({
  Directive(node) {
    const parent = context.getParentType()
    if (!conditions.has(node.name.value) || parent == null) return
    if (parent !== context.getSchema().getSubscriptionType()) return
    const message = `The root field of a subscription cannot be under \`@${node.name.value}\`.`
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})
