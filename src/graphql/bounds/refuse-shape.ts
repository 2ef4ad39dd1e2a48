import { type DocumentNode, GraphQLError, Kind, type ValidationRule, visit } from 'graphql'
import { createSelectionMeasure, fragmentsOf } from './measure-selections.ts'
import { refuseBeyond } from './refuse-bound.ts'
import { refuseRepetition } from './refuse-repetition.ts'

/** Checks a parsed document against the bounds that need neither variables nor the schema. */
export function refuseShape(document: DocumentNode): void {
  const { aliases, aliasCharacters, directives } = countAsWritten(document)
  refuseBeyond('aliases', aliases)
  refuseBeyond('aliasCharacters', aliasCharacters)
  refuseBeyond('directives', directives)
  const fragments = fragmentsOf(document)
  refuseBeyond(
    'fragments',
    document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length,
  )
  const measure = createSelectionMeasure(fragments)
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    refuseBeyond('variables', definition.variableDefinitions?.length ?? 0)
    const { depth, fields } = measure(definition.selectionSet)
    refuseBeyond('rootFields', fields)
    refuseBeyond('depth', depth)
  }
  refuseRepetition(document, fragments)
}

interface Written {
  readonly aliases: number
  /** In the longest alias. */
  readonly aliasCharacters: number
  readonly directives: number
}

function countAsWritten(document: DocumentNode): Written {
  let aliases = 0
  let aliasCharacters = 0
  let directives = 0
  visit(document, {
    Field({ alias }) {
      if (alias === undefined) return
      aliases += 1
      aliasCharacters = Math.max(aliasCharacters, alias.value.length)
    },
    Directive() {
      directives += 1
    },
  })
  return { aliases, aliasCharacters, directives }
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
