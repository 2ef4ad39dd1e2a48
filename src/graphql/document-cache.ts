import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Fragments } from './bounds/measure-selections.ts'
import type { declaredVariables, LeaveOutJson } from './bounds/measure-variables.ts'

/** A parsed document that is within all bounds that do not depend on variables. */
export interface PreparedDocument {
  readonly document: DocumentNode
  readonly fragments: Fragments
  /** The errors of validation; null before it ran, and if they are too long to be cached. */
  validationErrors: readonly GraphQLError[] | null
  /** Operations that passed all checks once, by the `operationName` of the request. */
  readonly operations: Map<string | null, PreparedOperation>
}

/** An operation of a valid document. */
export interface PreparedOperation {
  readonly document: DocumentNode
  /** Null if the document has no operation of that name; graphql-js reports that. */
  readonly node: OperationDefinitionNode | null
  readonly variables: ReturnType<typeof declaredVariables>
  readonly leaveOutJson: LeaveOutJson
  /**
   * Accepted shapes of variables. The value is true if the operation is large with them, so that a plan executes it in
   * pieces.
   */
  readonly acceptedShapes: Map<string, boolean>
  /** Type and name of the operation, for the log. */
  readonly description: string
  /** Number of executions without a plan. Restarts at 0 when the plan is dropped from its cache. */
  executions: number
}

// Estimated memory of a syntax tree for each token, with positions. The tree takes far more memory than its text.
const bytesPerToken = 300

/** An LRU cache of parsed documents by their text, limited in number and in estimated bytes. */
export function createDocumentCache(): LRUCache<string, PreparedDocument> {
  return new LRUCache({
    max: 1_000,
    maxSize: 32 * 2 ** 20,
    sizeCalculation: ({ document }, text) => 2 * text.length + bytesOfTree(document) + 1,
  })
}

/** Returns the estimated memory of a syntax tree in bytes, including its text if the nodes have positions. */
export function bytesOfDocument(document: DocumentNode): number {
  return 2 * (document.loc?.source.body.length ?? 0) + bytesOfTree(document)
}

function bytesOfTree({ tokenCount = 0 }: DocumentNode): number {
  return bytesPerToken * tokenCount
}

export function describeOperation(node: OperationDefinitionNode | null): string {
  if (node === null) return 'graphql'
  const { operation, name } = node
  return name === undefined ? operation : `${operation} ${name.value.slice(0, 100)}`
}
