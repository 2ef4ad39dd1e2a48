import { operation } from '../gateway/operation.ts'
import type { PageInfo } from '../gateway/page-info.ts'

/** A version of a function, without its source. */
export interface Version {
  readonly hash: string
  readonly comment: string | null
  readonly byEmail: string | null
  readonly byUserId: string | null
  readonly at: string
}

export interface FunctionRow {
  readonly id: string
  readonly name: string
  readonly caseTypeCode: string | null
  readonly live: Version
}

const versionFields = `hash comment byEmail byUserId at`

export const listFunctions = operation<
  { functions: { readonly nodes: readonly FunctionRow[]; readonly pageInfo: PageInfo } },
  { after: string | null }
>(
  `query ListFunctions($after: String) { functions(first: 500, after: $after) {
    nodes { id name caseTypeCode live { ${versionFields} } } pageInfo { hasNextPage endCursor } } }`,
)

export interface VersionPage {
  readonly edges: readonly { readonly cursor: string; readonly node: Version }[]
  readonly pageInfo: PageInfo
}

export const findFunction = operation<
  { function: (FunctionRow & { readonly versions: VersionPage }) | null },
  { id: string; after: string | null; first?: number }
>(
  `query FindFunction($id: ID!, $after: String, $first: Int = 50) { function(id: $id) {
    id name caseTypeCode live { ${versionFields} }
    versions(first: $first, after: $after) {
      edges { cursor node { ${versionFields} } } pageInfo { hasNextPage endCursor }
    } } }`,
)

/** A version with its source. */
export interface Source {
  readonly hash: string
  readonly sourceCode: string
}

/** The source of the version after a cursor, and that of the one before it in time. */
export const readSources = operation<
  { function: { versions: { nodes: readonly Source[] } } | null },
  { id: string; after: string | null }
>(
  `query ReadSources($id: ID!, $after: String) { function(id: $id) {
    versions(first: 2, after: $after) { nodes { hash sourceCode } } } }`,
)

export const rollBack = operation<
  { makeVersionLive: { readonly live: { readonly hash: string } } },
  { functionId: string; hash: string; ifLive: readonly string[] }
>(
  `mutation RollBack($functionId: ID!, $hash: ID!, $ifLive: [ID!]) {
    makeVersionLive(functionId: $functionId, hash: $hash, ifLive: $ifLive) { live { hash } } }`,
)
