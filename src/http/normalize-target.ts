// RFC 3986, 2.3: whether these are escaped or not, it is the same URL.
const escapedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi

/**
 * A request target in the one spelling that everything behind it knows: a whole URL (RFC 9112, 3.2.2) is cut to its path and
 * query, a fragment is cut off, and what needs no escape in the path has none.
 */
export function normalizeTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%') && !target.includes('#')) return target
  const [local = ''] = target.replace(/^https?:\/\/[^/?#]*(?=[/?#]|$)/i, '').split('#', 1)
  const queryStart = local.indexOf('?')
  const path = queryStart === -1 ? local : local.slice(0, queryStart)
  return (path.replace(escapedUnreserved, decodeURIComponent) || '/') + local.slice(path.length)
}
