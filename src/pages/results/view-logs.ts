import { html, nothing, type TemplateResult } from 'lit'
import type { LogEntry } from './execution.ts'
import type { RunState } from './run-state.ts'

const maxCharacters = 65_536

/** Shows the log entries as they come: up to 64 KB of them. */
export function viewLogs({ logs }: RunState) {
  if (logs.length === 0)
    return html`<p class="quiet">What <code>log(…)</code> and <code>console</code> write appears here as it comes.</p>`
  const items: TemplateResult[] = []
  let left = maxCharacters
  for (const { level, data, at } of logs) {
    if (left <= 0) break
    const text = data.map(print).join(' ')
    items.push(viewEntry({ level, text: text.slice(0, left), at }))
    left -= text.length
  }
  const isCut = left < 0 || items.length < logs.length
  return html`${isCut ? viewNote(logs) : nothing} ${viewCutByGateway(logs)}
    <ol class="logs" aria-label="Log">${items}</ol>`
}

function viewNote(logs: readonly LogEntry[]) {
  const bytes = logs.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0)
  return html`<p class="note">truncated: 64 KB of ${Math.ceil(bytes / 1_024)} KB</p>`
}

// The gateway's own words are the last entry, which may be past what is shown.
function viewCutByGateway(logs: readonly LogEntry[]) {
  const [text] = logs.at(-1)?.data ?? []
  const isCut = typeof text === 'string' && text.startsWith('The log was cut')
  return isCut ? html`<p class="note">truncated: ${text}</p>` : nothing
}

function viewEntry({
  level,
  text,
  at,
}: {
  readonly level: string
  readonly text: string
  readonly at: string
}) {
  return html`<li class="level-${level}"><span class="level" title=${at}>${level}</span> <span>${text}</span></li>`
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
