import { html, nothing, type TemplateResult } from 'lit'
import { GatewayError } from '../gateway/gateway-error.ts'
import { viewLoading } from './page-element.ts'

// Errors that would come again.
const lastingCodes = ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT']

/** Shows that the content of a page is loading, or after an error that may pass, a button that loads the page again. */
export function viewNotLoaded(error: unknown): TemplateResult | typeof nothing {
  if (error === null) return viewLoading()
  const mayPass = error instanceof GatewayError && !lastingCodes.includes(error.code)
  const again = html`<button type="button" @click=${() => location.reload()}>Try again</button>`
  return mayPass ? again : nothing
}
