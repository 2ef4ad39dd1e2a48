/** Who is signed in, in this tab. */
export interface Session {
  readonly token: string
  readonly accountCode: string
  readonly userId: string | null
  readonly email: string | null
  readonly scopes: readonly string[]
  /** Nobody else knows it, so that a link on a page of another origin signs nobody out. */
  readonly signOutMark?: string
}

const sessionKey = 'rostrum.session'
const returnKey = 'rostrum.return'
/** Where `openInPlayground` keeps what the playground opens next. */
export const openKey = 'rostrum.open'
const signOutFragment = '#sign-out='

/** Returns the session of this tab; null if nobody is signed in. */
export function readSession(): Session | null {
  const text = readKept(sessionKey)
  if (text === null) return null
  try {
    return JSON.parse(text) as Session
  } catch {
    return null
  }
}

/** Returns the session of a page that only opens with one. */
export function currentSession(): Session {
  const session = readSession()
  if (session === null) throw new Error('Nobody is signed in. Sign in again.')
  return session
}

/** True if the credential has the scope. */
export function allows(scope: string): boolean {
  const scopes = readSession()?.scopes ?? []
  return scopes.includes('admin') || scopes.includes(scope)
}

/**
 * Names the person within the browser: what belongs to one is not shown to another. A user stays the same with another
 * e-mail address.
 */
export function ownerOf({ token, accountCode, userId, email }: Session): string {
  const whose = email === null ? [email, subjectOf(token)] : [email]
  return JSON.stringify(userId === null ? [accountCode, userId, ...whose] : [accountCode, userId])
}

/** True if the owner is this person. Earlier versions added the e-mail address of a user. */
export function isOwn(owner: string): boolean {
  const session = currentSession()
  const own = ownerOf(session)
  return owner === own || (session.userId !== null && owner.startsWith(own.replace(/]$/, ',')))
}

// An API token always has a user, so a credential without one is a JWT. The gateway has checked it, and its `sub` gives
// no rights here: it only tells people apart.
function subjectOf(token: string): string | null {
  try {
    const payload = Uint8Array.fromBase64(token.split('.')[1] ?? '', { alphabet: 'base64url' })
    return (JSON.parse(new TextDecoder().decode(payload)) as { readonly sub?: string }).sub ?? null
  } catch {
    return null
  }
}

/** Keeps the session in this tab alone, then opens the page that was asked for. Throws if it cannot be kept. */
export function signIn(session: Session): void {
  const target = readKept(returnKey) ?? '/playground'
  // Kept now, because the browser may have no room for it later.
  const signOutMark = crypto.getRandomValues(new Uint8Array(12)).toHex()
  if (!keep(sessionKey, JSON.stringify({ ...session, signOutMark })))
    throw new Error('The browser lets this page keep nothing. Allow site data for it, then sign in again.')
  forget(returnKey)
  location.replace(target)
}

/** Opens the login, which comes back to this page with its query and fragment. */
export function goToLogin(): void {
  // A fragment can hold a script, which is too long for a query and must not reach the log of a proxy.
  keep(returnKey, location.pathname + location.search + location.hash)
  location.replace('/login')
}

/** Forgets the session and opens the login. If the browser asks whether to leave, who stays is still signed in. */
export function signOut(): void {
  const mark = asksBeforeLeaving() ? readSession()?.signOutMark : undefined
  if (mark === undefined) forgetSession()
  location.assign(mark === undefined ? '/login' : `/login${signOutFragment}${mark}`)
}

/** True if the browser asks before it leaves the page, because something is only there. */
export function asksBeforeLeaving(): boolean {
  return !dispatchEvent(new Event('beforeunload', { cancelable: true }))
}

/** Forgets the session if this page is the login that “Sign out” opens after a question. */
export function finishSignOut(): void {
  if (!location.hash.startsWith(signOutFragment)) return
  const mark = readSession()?.signOutMark
  if (mark !== undefined && location.hash === signOutFragment + mark) forgetSession()
  history.replaceState(null, '', location.pathname)
}

function forgetSession(): void {
  forget(sessionKey)
  forget(returnKey)
  forget(openKey)
}

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
