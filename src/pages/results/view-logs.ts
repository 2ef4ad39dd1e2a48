import { html, nothing, type TemplateResult } from 'lit'
import type { LogEntry } from './execution.ts'
import { countBytes, fitText, formatBytes, maxShownBytes } from './print.ts'
import type { RunState } from './run-state.ts'

/** Shows the log entries as they come: up to 64 KB of them. */
export function viewLogs({ logs }: RunState) {
  if (logs.length === 0)
    return html`<p class="quiet">
      What <code>log(…)</code> and <code>console</code> write appears here as it comes.
    </p>`
  const items: TemplateResult[] = []
  let left = maxShownBytes
  let isPartial = false
  for (const { level, data, at } of logs) {
    const whole = data.map(print).join(' ')
    const text = fitText(whole, left)
    isPartial = left <= 0 || text.length < whole.length
    if (left <= 0) break
    items.push(viewEntry({ level, text, at }))
    left -= isPartial ? left : countBytes(text)
  }
  return html`${isPartial ? viewNote(logs) : nothing} ${viewCutByGateway(logs)}
    <ol class="logs" aria-label="Log">${items}</ol>`
}

function viewNote(logs: readonly LogEntry[]) {
  const bytes = logs.reduce((sum, { data }) => sum + countBytes(JSON.stringify(data)), 0)
  return html`<p class="note">truncated: 64 KB of ${formatBytes(bytes)}</p>`
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
