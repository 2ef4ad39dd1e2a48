import type { DocumentNode, FragmentDefinitionNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import { LRUCache } from 'lru-cache'

/** A document that was parsed and is within the bounds of its shape. */
export interface PreparedDocument {
  readonly document: DocumentNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** What validation found; null until it was asked. */
  validationErrors: readonly GraphQLError[] | null
  /** Those that were admitted once, by the name they were asked for with. */
  readonly operations: Map<string | null, PreparedOperation>
}

/** An operation of a document without faults. */
export interface PreparedOperation {
  readonly document: DocumentNode
  /** Null where the document has none of that name: graphql-js says so. */
  readonly node: OperationDefinitionNode | null
  /** True where every set of variables without lists and objects is within the bounds, as one was. */
  readonly isWithinBounds: boolean
  /** For the log: type and name. */
  readonly description: string
  /** Without a plan; since it last had one, if it had. */
  executions: number
}

export type DocumentCache = LRUCache<string, PreparedDocument>

// A syntax tree takes far more memory than its text: some 300 bytes a token, with positions.
const bytesPerToken = 300

/** Parsed documents by their text; bounded in number and in (estimated) bytes, least recently used first out. */
export function createDocumentCache(): DocumentCache {
  return new LRUCache({
    max: 1_000,
    maxSize: 32 * 2 ** 20,
    sizeCalculation: ({ document }, text) => 2 * text.length + bytesOfTree(document) + 1,
  })
}

/** What a syntax tree keeps in memory, its text included where its nodes know their places in it; about. */
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
