/** Returns what this tab keeps under a key; null if it keeps nothing, or if the browser allows no storage. */
export function readKept(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps a text in this tab. Returns false if the browser has no room for it, or allows no storage. */
export function keep(key: string, text: string): boolean {
  try {
    sessionStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Forgets what this tab keeps under a key. */
export function forget(key: string): void {
  // Nothing is kept where the browser allows no storage.
  if (readKept(key) !== null) sessionStorage.removeItem(key)
}
