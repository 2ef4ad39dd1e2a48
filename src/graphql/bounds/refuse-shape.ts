import { type DocumentNode, GraphQLError, type ValidationRule, visit } from 'graphql'
import type { Bound } from './bounds.ts'
import { createSelectionMeasure, type Fragments } from './measure-selections.ts'
import { refuseBeyond } from './refuse-bound.ts'
import { refuseRepetition } from './refuse-repetition.ts'

/** Checks a parsed document against the bounds that need neither variables nor the schema. */
export function refuseShape(document: DocumentNode, fragments: Fragments): void {
  const shape = measureShape(document, fragments)
  for (const bound of boundsOfShape) refuseBeyond(bound, shape[bound])
  refuseRepetition(document, fragments)
}

const boundsOfShape = [
  'aliases',
  'aliasCharacters',
  'directives',
  'fragments',
  'variables',
  'rootFields',
  'depth',
  'introspectionDepth',
  'introspectionNesting',
] as const satisfies readonly Bound[]

type Shape = Record<(typeof boundsOfShape)[number], number>

/** Returns the document's number for each bound; for several operations, the largest number. */
export function measureShape(document: DocumentNode, fragments: Fragments): Shape {
  const shape: Shape = {
    aliases: 0,
    aliasCharacters: 0,
    directives: 0,
    fragments: 0,
    variables: 0,
    rootFields: 0,
    depth: 0,
    introspectionDepth: 0,
    introspectionNesting: 0,
  }
  const raise = (bound: keyof Shape, found: number) => {
    shape[bound] = Math.max(shape[bound], found)
  }
  const measure = createSelectionMeasure(fragments)
  visit(document, {
    Field({ alias }) {
      if (alias === undefined) return
      shape.aliases += 1
      raise('aliasCharacters', alias.value.length)
    },
    Directive() {
      shape.directives += 1
    },
    FragmentDefinition() {
      shape.fragments += 1
    },
    OperationDefinition({ variableDefinitions, selectionSet }) {
      const { depth, introspectionDepth, introspectionLists, fields } = measure(selectionSet)
      raise('variables', variableDefinitions?.length ?? 0)
      raise('rootFields', fields)
      raise('depth', depth)
      raise('introspectionDepth', introspectionDepth)
      raise('introspectionNesting', introspectionLists - 1)
    },
  })
  return shape
}

const conditions = new Set(['skip', 'include'])

/** Refuses `@skip` and `@include` on a subscription's root field: graphql-js fails if a condition removes it. */
export const refuseConditionalSubscription: ValidationRule = context => ({
  Directive(node) {
    const parent = context.getParentType()
    if (!conditions.has(node.name.value) || parent == null) return
    if (parent !== context.getSchema().getSubscriptionType()) return
    const message = `The root field of a subscription cannot be under \`@${node.name.value}\`.`
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})
