import type { Span, SpanParent } from './span.ts'

interface TracedOperation {
  readonly operation: string
  readonly name?: { readonly value: string } | undefined
}

// A longer name is cut, because the span must not hold the text of a document.
const maxNameCharacters = 100

/** Begins the span of a GraphQL operation. */
export function beginOperationSpan(parent: SpanParent, { operation, name }: TracedOperation): Span {
  return parent.begin(operation, 'internal', {
    'graphql.operation.type': operation,
    ...(name !== undefined && { 'graphql.operation.name': name.value.slice(0, maxNameCharacters) }),
  })
}
