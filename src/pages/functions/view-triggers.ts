import { html, type TemplateResult } from 'lit'
import { currentSession } from '../gateway/session.ts'
import '../shell/copy-button.ts'
import { viewLoading } from '../shell/page-element.ts'
import { writeExample } from './sender-example.ts'
import type { TriggerKind, Webhook } from './trigger-documents.ts'

/** How a kind is shown. */
export interface Kind<Trigger> {
  readonly kind: TriggerKind
  readonly title: string
  /** What is said while there is none. */
  readonly advice: TemplateResult
  readonly loaded: readonly Trigger[] | Error | null
  readonly viewItem: (trigger: Trigger) => TemplateResult
}

/** Shows the triggers of a kind, or what is said in their place. */
export function viewLoaded<Trigger>({ title, advice, loaded, viewItem }: Kind<Trigger>) {
  if (loaded === null) return viewLoading()
  if (loaded instanceof Error) return html`<p class="quiet">Not loaded.</p>`
  if (loaded.length === 0) return html`<p class="quiet">${advice}</p>`
  return html`<ul class="rows" aria-label=${title}>${loaded.map(viewItem)}</ul>`
}

/** Returns an event as a person says it: `PRE_SAVE` is “Before each save”. */
export function wordOf(event: string): string {
  const [when, what] = event.toLowerCase().split('_')
  return `${when === 'pre' ? 'Before' : 'After'} each ${what}`
}

/** Shows where a webhook listens, and how to send to it. */
export function viewWebhook(webhook: Webhook) {
  const { verification, mode, name } = webhook
  const url = `${location.origin}/api/1/webhook/${currentSession().accountCode}/${name}`
  const example = writeExample(webhook, url)
  const answers = mode === 'SYNC' ? 'answers with the result' : 'answers at once, runs later'
  return html`<div class="webhook">
    <div class="address">
      <code>${url}</code> <copy-button .text=${url} what="address"></copy-button>
    </div>
    <div class="quiet">
      ${verification.toLowerCase()} signature, ${answers}
    </div>
    <details>
      <summary>Example for the sender</summary>
      <pre class="box" tabindex="0">${example}</pre>
      <copy-button .text=${example} what="example"></copy-button>
    </details>
  </div>`
}
