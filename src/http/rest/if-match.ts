import { RostrumError } from '../../errors.ts'

/** The largest possible version. Versions are GraphQL `Int`s. */
const maxVersion = 2 ** 31 - 1

/**
 * Reads the versions that `If-Match` allows (RFC 9110, section 13.1.1). Returns null without the header and for `*`,
 * which every existing row satisfies. Weak tags and malformed tags never match: a header with no others gives an empty
 * list.
 */
export function readIfMatch(header: string | undefined): number[] | null {
  if (header === undefined || header.trim() === '*') return null
  return header
    .split(',')
    .map(tag => /^"([1-9]\d{0,9})"$/.exec(tag.trim())?.[1])
    .filter(version => version !== undefined)
    .map(Number)
    .filter(version => version <= maxVersion)
}

// A hash that no version has, so that the condition never holds. An empty list would mean that the function must not
// exist.
const noHash = ''

/**
 * Reads `If-Match` and `If-None-Match` as the condition `ifLive` of GraphQL: the allowed hashes of the live version,
 * `*` for any hash, an empty list for a function that must not exist. Returns null without a condition. Weak tags and
 * malformed tags never match.
 */
export function readIfLive(ifMatch: string | undefined, ifNoneMatch?: string): string[] | null {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw new RostrumError(
      'BAD_USER_INPUT',
      '`If-None-Match` can only be `*` here, which asks for a new function.',
    )
  }
  if (ifMatch === undefined) return ifNoneMatch === undefined ? null : []
  // No function can meet both conditions.
  if (ifNoneMatch !== undefined) return [noHash]
  if (ifMatch.trim() === '*') return ['*']
  return ifMatch.split(',').map(tag => /^"([0-9a-f]{64})"$/.exec(tag.trim())?.[1] ?? noHash)
}

/** Returns the entity tag of a version, which is given by its number or hash. */
export function toEtag(version: number | string): string {
  return `"${version}"`
}
