/** Versions are GraphQL `Int`s, so no version is larger. */
const maxVersion = 2 ** 31 - 1

/**
 * Reads the versions that `If-Match` allows (RFC 9110, section 13.1.1). Null without the header and for `*`, which
 * every existing row satisfies. Weak tags and tags of another form never match.
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

/** The tag of a version. */
export function toEtag(version: number): string {
  return `"${version}"`
}
