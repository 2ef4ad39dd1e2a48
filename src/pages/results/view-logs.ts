import { html, nothing } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { timeLanguage } from '../time/exact-time.ts'
import type { LogEntry } from './execution.ts'
import { countBytes, fitText, formatBytes, maxShownBytes } from './print.ts'
import type { RunState } from './run-state.ts'

// Entries of a block are rendered again only if one was added to it, and what is not seen is not laid out.
const entriesOfBlock = 100

/** Shows the log entries as they come: up to 64 KB of them. */
export function viewLogs({ logs }: Pick<RunState, 'logs'>) {
  if (logs.length === 0)
    return html`<p class="quiet">
      What <code>log(…)</code> and <code>console</code> write appears here as it comes.
    </p>`
  const { entries, isPartial } = fitEntries(logs)
  const starts = Array.from(
    { length: Math.ceil(entries.length / entriesOfBlock) },
    (_, block) => block * entriesOfBlock,
  )
  return html`${isPartial ? viewNote(logs) : nothing} ${viewCutByGateway(logs)}
    <div role="list" class="logs" aria-label="Log">
      ${starts.map(start => viewBlock(entries.slice(start, start + entriesOfBlock)))}
    </div>`
}

/** Returns all entries, each in a line of its own with its level. */
export function printLogs({ logs }: Pick<RunState, 'logs'>): string {
  return logs.map(({ level, data }) => `${level} ${data.map(print).join(' ')}`).join('\n')
}

interface ShownEntry {
  readonly level: string
  readonly text: string
  readonly at: string
}

function fitEntries(logs: readonly LogEntry[]) {
  const entries: ShownEntry[] = []
  let left = maxShownBytes
  for (const { level, data, at } of logs) {
    if (left <= 0) return { entries, isPartial: true }
    const whole = data.map(print).join(' ')
    const text = fitText(whole, left)
    entries.push({ level, text, at })
    if (text.length < whole.length) return { entries, isPartial: true }
    left -= countBytes(text)
  }
  return { entries, isPartial: false }
}

// Names no entry by its identity: those that came one by one come again with the end of the run.
function viewBlock(entries: readonly ShownEntry[]) {
  const [first] = entries
  const known = [entries.length, first?.at, first?.text, entries.at(-1)?.at, entries.at(-1)?.text]
  return guard(known, () => html`<div class="block">${entries.map(viewEntry)}</div>`)
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

const clock = new Intl.DateTimeFormat(timeLanguage, {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
})

// The style sheet shows the time, so that a copy of the log is what the script wrote.
function viewEntry({ level, text, at }: ShownEntry) {
  const time = clock.format(new Date(at))
  const shown = html`<span class="level" title=${at}>${level}</span> <bdi>${text}</bdi>`
  return html`<div role="listitem" class="entry level-${level}" data-time=${time}>${shown}</div>`
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
