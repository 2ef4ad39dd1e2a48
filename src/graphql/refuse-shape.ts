import { type DocumentNode, Kind, visit } from 'graphql'
import { createSelectionMeasure, fragmentsOf } from './measure-selections.ts'
import { refuseBeyond } from './refuse-bound.ts'
import { refuseRepetition } from './refuse-repetition.ts'

/** Refuses a parsed document that is beyond a bound whatever its variables: all bounds but tokens and cost. */
export function refuseShape(document: DocumentNode): void {
  const { aliases, directives } = countAsWritten(document)
  refuseBeyond('aliases', aliases)
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

function countAsWritten(document: DocumentNode): { aliases: number; directives: number } {
  let aliases = 0
  let directives = 0
  visit(document, {
    Field(field) {
      if (field.alias !== undefined) aliases += 1
    },
    Directive() {
      directives += 1
    },
  })
  return { aliases, directives }
}
