import { html, nothing, type TemplateResult } from 'lit'
import { GatewayError } from '../gateway/gateway-error.ts'
import { viewLoading } from './page-element.ts'

// Errors that would come again.
const lastingCodes = ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_USER_INPUT']

/** Shows that content is loading, or after an error that may pass, a button that loads it or the page again. */
export function viewNotLoaded(
  error: unknown,
  loadAgain: () => void = () => location.reload(),
): TemplateResult | typeof nothing {
  if (error === null) return viewLoading()
  const mayPass = error instanceof GatewayError && !lastingCodes.includes(error.code)
  const again = html`<button type="button" @click=${loadAgain}>Try again</button>`
  return mayPass ? again : nothing
}
