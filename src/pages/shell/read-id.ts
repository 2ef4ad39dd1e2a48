/** Returns the id that the path names after the name of the list; null if it is not correctly percent-encoded. */
export function readId(): string | null {
  try {
    return decodeURIComponent(location.pathname.split('/')[2] ?? '')
  } catch {
    return null
  }
}

/** Returns the id that the path names, if it is a number as the ids of functions and cases are; else null. */
export function readNumericId(): string | null {
  const id = readId() ?? ''
  return /^[1-9]\d{0,15}$/.test(id) ? id : null
}
