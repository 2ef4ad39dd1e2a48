/** Returns the id of the function that the address names, or null. */
export function readFunctionId(): string | null {
  return new URLSearchParams(location.search).get('function')
}

/** Lets the address name a function, or none. A fragment stays until it is opened. */
export function showFunctionId(id: string | null): void {
  const query = id === null ? '' : `?function=${encodeURIComponent(id)}`
  history.replaceState(null, '', `/playground${query}${location.hash}`)
}

/**
 * Calls `onLink` for a link that is opened in this page. Back and Forward may lead to another function than the open
 * one, which then opens in its place.
 */
export function followAddress(onLink: () => void, openId: () => string | null): void {
  addEventListener('hashchange', () => {
    // A question about the script before it would be answered for the wrong one.
    if (readLinkFragment() !== null) document.querySelector<HTMLDialogElement>('dialog[open]')?.close()
    onLink()
  })
  addEventListener('popstate', () => {
    if (readLinkFragment() === null && readFunctionId() !== openId()) location.reload()
  })
}

/** Returns the fragment if it has a script (contract, section 10); else null. */
export function readLinkFragment(): string | null {
  return location.hash.startsWith('#code=') ? location.hash : null
}

/** Takes the fragment away, so that a reload does not open its link again. */
export function forgetFragment(): void {
  history.replaceState(null, '', location.pathname + location.search)
}
