import { asksBeforeLeaving, goToLogin, readSession } from '../gateway/session.ts'
import type { Key } from './keys.ts'
import { PageHeader } from './page-header.ts'

interface Page {
  readonly element: string
  readonly type: CustomElementConstructor
  /** The keys of the page, for the dialog of all keys. */
  readonly keys?: readonly Key[]
  /** True for a page that shows no data of the gateway, or follows them while it is open. */
  readonly isLive?: boolean
}

/** Starts a page that everybody can see. Its element and the header stay as long as the document, as do their keys. */
export function openPublicPage({ element, type, keys = [], isLive = true }: Page): void {
  customElements.define('page-header', PageHeader)
  const header = document.querySelector<PageHeader>('page-header')
  if (header !== null) header.keys = keys
  ignoreDoubleClicks()
  const token = readSession()?.token
  // A page that the browser kept, and shows again on Back, has what the person of then may see, and the data and the
  // notices of then. To load it again would lose what is only there.
  const stays = () => readSession()?.token === token && (isLive || asksBeforeLeaving())
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && !stays()) location.reload()
  })
  customElements.define(element, type)
}

/** Starts a page that needs a session; without one it goes to the login. */
export function openPage(page: Page): void {
  if (readSession() === null) goToLogin()
  else openPublicPage({ isLive: false, ...page })
}

// The first click of a double click can bring another button to its place: that of the next row, or one that undoes
// what was done. The second click is not meant for it.
function ignoreDoubleClicks(): void {
  let pressed: HTMLButtonElement | null = null
  let name: string | undefined
  const onClick = (event: MouseEvent): void => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    const isSame = button === pressed && button?.textContent === name
    if (event.detail > 1 && button !== null && !isSame) {
      event.preventDefault()
      event.stopPropagation()
    } else {
      pressed = button
      name = button?.textContent
    }
  }
  document.addEventListener('click', onClick, true)
}
