import { html, nothing } from 'lit'
import { readSession, signOut } from '../gateway/session.ts'
import { commonKeys, handleCommonKeys, type Key } from './keys.ts'
import { PageElement } from './page-element.ts'

const pages = [
  { path: '/playground', name: 'Playground' },
  { path: '/functions', name: 'Functions' },
  { path: '/runs', name: 'Runs' },
  { path: '/cases', name: 'Cases' },
  { path: '/members', name: 'Members' },
]

/** The head of every page: the navigation of a person who is signed in, and the dialog of all keys. */
export class PageHeader extends PageElement {
  static override properties = { keys: { attribute: false } }
  /** The keys of this page alone. */
  declare keys: readonly Key[]

  constructor() {
    super()
    this.keys = []
    handleCommonKeys(() => this.#showKeys())
  }

  override render() {
    const session = readSession()
    return html`<header class="page-header">
      <a class="brand" href="/">Rostrum</a>
      ${session === null ? nothing : this.#viewNavigation(session.email ?? session.userId, session.accountCode)}
      ${this.#viewDoors(session === null)}
      ${this.#viewKeys()}
    </header>`
  }

  // The front page has these links itself, and the login needs none.
  #viewDoors(isSignedOut: boolean) {
    if (location.pathname === '/' || location.pathname === '/login') return nothing
    const here = location.pathname.startsWith('/docs') ? 'page' : nothing
    return html`<span class="page-doors">
      <a href="/docs" aria-current=${here}>Docs</a>
      ${isSignedOut ? html`<a href="/login">Sign in</a>` : nothing}
    </span>`
  }

  // The title has the focus at first, so that a small window shows the beginning of the list.
  #viewKeys() {
    return html`<dialog class="keys" aria-labelledby="keys-title">
      <h2 id="keys-title" tabindex="-1" autofocus>Keys</h2>
      <dl>
        ${[...this.keys, ...commonKeys].map(viewKey)}
      </dl>
      <form method="dialog"><button class="main">Close</button></form>
    </dialog>`
  }

  #viewNavigation(person: string | null, accountCode: string) {
    const isHere = (path: string) => location.pathname === path || location.pathname.startsWith(`${path}/`)
    const links = pages.map(
      ({ path, name }) => html`<a href=${path} aria-current=${isHere(path) ? 'page' : nothing}>${name}</a>`,
    )
    return html`<nav aria-label="Rostrum">
        <div class="links">${links}</div>
        <span class="who" title=${person ?? accountCode}>${accountCode}</span>
        <button type="button" class="plain" aria-haspopup="dialog" @click=${() => this.#showKeys()}>Keys</button>
        <button type="button" class="plain" @click=${signOut}>Sign out</button>
      </nav>`
  }

  #showKeys(): void {
    this.querySelector('dialog')?.showModal()
  }
}

function viewKey({ keys, does }: Key) {
  return html`<div><dt><kbd>${keys}</kbd></dt><dd>${does}</dd></div>`
}
