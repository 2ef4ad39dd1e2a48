/** Returns the id that the path names after the name of the list; null if it is not correctly percent-encoded. */
export function readId(): string | null {
  try {
    return decodeURIComponent(location.pathname.split('/')[2] ?? '')
  } catch {
    return null
  }
}
