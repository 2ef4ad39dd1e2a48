import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { GatewayError, isCode, messageOf } from '../gateway/gateway-error.ts'
import { allows, goToLogin, readSession } from '../gateway/session.ts'

/** An element without a shadow root: the one style sheet of the pages applies to it. */
export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}

/** Names the tab of the browser after what the page shows. */
export function setTitle(name: string): void {
  document.title = `${name} · Rostrum`
}

const longText = 200

/**
 * Shows what went wrong and what to do now, which may be a button; nothing without an error. If a script refused what
 * was asked for, a link leads to its run.
 */
export function viewError(
  error: unknown,
  button: TemplateResult | typeof nothing = nothing,
): TemplateResult | typeof nothing {
  if (error === null || error === undefined) return nothing
  const isRefused = isCode(error, 'UNAUTHENTICATED') && readSession() !== null
  const again = html`<button type="button" @click=${goToLogin}>Sign in again</button>`
  const message = messageOf(error)
  // A long text of a script scrolls in itself. The keyboard can scroll what has the focus.
  const said = html`<p tabindex=${message.length > longText ? 0 : nothing}>${message}</p>`
  return html`<div role="alert" class="alert">${said}${isRefused ? again : button}</div>
    ${viewRunOf(error)}`
}

// Beside the alert, which has the words of the script alone.
function viewRunOf(error: unknown) {
  const runId = error instanceof GatewayError ? error.runId : undefined
  if (runId === undefined || !allows('runs:read')) return nothing
  return html`<p class="after-alert"><a href="/runs/${runId}">Look at the run of the script</a></p>`
}

/** An error at a place that it can show. */
export interface PlacedError extends Error {
  showIn(page: Element): void
}

/** Scrolls to the alert of what a person did, and to the place of the error. */
export async function scrollToAlert(page: PageElement & { readonly error: unknown }): Promise<void> {
  await page.updateComplete
  const { error } = page
  if (error === null) return
  page.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' })
  if (error instanceof Error && 'showIn' in error) (error as PlacedError).showIn(page)
}

/** Shows what went wrong, and scrolls to it, because the button that a person pressed can be far from the alert. */
export function showError(page: PageElement & { error: unknown }, error: unknown): Promise<void> {
  page.error = error
  return scrollToAlert(page)
}

/** Does what a person asked for. If it fails, the page shows why. */
export function tryAction(page: PageElement & { error: unknown }, action: () => Promise<unknown>): void {
  page.error = null
  action().catch((error: unknown) => showError(page, error))
}

/** Shows that there is nothing yet, and what to do next. */
export function viewEmpty(title: string, advice: unknown): TemplateResult {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${advice}</p></div>`
}

/** Shows the button that loads more rows, if there are more. */
export function viewMore(
  hasMore: boolean,
  loadMore: (event: Event) => void,
): TemplateResult | typeof nothing {
  return hasMore ? html`<button type="button" class="more" @click=${loadMore}>Load more</button>` : nothing
}

interface Table {
  readonly name: string
  /** A class for its columns. */
  readonly kind: string
  readonly columns: readonly unknown[]
  readonly rows: unknown
}

/** Shows a table. The roles are named, because narrow screens show its rows as cards. */
export function viewTable({ name, kind, columns, rows }: Table): TemplateResult {
  return html`<table class="cards ${kind}" role="table" aria-label=${name}>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(column => html`<th role="columnheader" scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`
}

/** Shows that something is still loading. */
export function viewLoading(): TemplateResult {
  return html`<p class="quiet">Loading…</p>`
}
