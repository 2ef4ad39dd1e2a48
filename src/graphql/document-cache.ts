import type { DocumentNode, FragmentDefinitionNode, GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'

/** A document that was parsed and is within the bounds of its shape. */
export interface PreparedDocument {
  readonly document: DocumentNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** What validation found; null until it was asked. */
  validationErrors: readonly GraphQLError[] | null
}

export type DocumentCache = LRUCache<string, PreparedDocument>

// A syntax tree takes far more memory than its text: some 300 bytes a token, with positions.
const bytesPerToken = 300

/** Parsed documents by their text; bounded in number and in (estimated) bytes, least recently used first out. */
export function createDocumentCache(): DocumentCache {
  return new LRUCache({
    max: 1_000,
    maxSize: 32 * 2 ** 20,
    sizeCalculation: ({ document }, text) => 2 * text.length + bytesPerToken * (document.tokenCount ?? 0) + 1,
  })
}
