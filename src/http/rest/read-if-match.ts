/** Versions are GraphQL `Int`s: a larger number can be no version. */
const largestVersion = 2 ** 31 - 1

/**
 * The versions that `If-Match` allows (RFC 9110, section 13.1.1): null without the header and for `*`, which any existing row
 * satisfies. Weak tags never match, and neither does what is no entity tag of ours.
 */
export function readIfMatch(header: string | undefined): number[] | null {
  if (header === undefined || header.trim() === '*') return null
  return header
    .split(',')
    .map(tag => /^"([1-9]\d{0,9})"$/.exec(tag.trim())?.[1])
    .filter(version => version !== undefined)
    .map(Number)
    .filter(version => version <= largestVersion)
}

export function toEtag(version: number): string {
  return `"${version}"`
}
