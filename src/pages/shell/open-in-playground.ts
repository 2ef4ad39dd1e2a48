/** What the playground opens next in this tab, as a draft of its own. */
export interface Opened {
  readonly fields: { readonly script: string; readonly input: string; readonly options: string }
  /** Says where it is from. */
  readonly notice: string
}

const openKey = 'rostrum.open'

/** Opens the playground with these texts, which may be longer than a link. */
export function openInPlayground(opened: Opened): void {
  sessionStorage.setItem(openKey, JSON.stringify(opened))
  location.assign('/playground')
}

/** Returns what the playground is to open in this tab, once; null without it. */
export function takeOpened(): Opened | null {
  const text = sessionStorage.getItem(openKey)
  sessionStorage.removeItem(openKey)
  return text === null ? null : (JSON.parse(text) as Opened)
}
