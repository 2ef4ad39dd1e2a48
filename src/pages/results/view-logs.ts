import { html, nothing } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { isPlain, roomForText, type TextRoom, viewJson, viewText } from '../shell/view-text.ts'
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

interface ShownValue {
  readonly text: string
  /** True for a text, which is shown without quotes. */
  readonly isText: boolean
}

interface ShownEntry {
  readonly level: string
  readonly values: readonly ShownValue[]
  readonly at: string
}

function fitEntries(logs: readonly LogEntry[]) {
  const entries: ShownEntry[] = []
  let left = maxShownBytes
  for (const { level, data, at } of logs) {
    const values: ShownValue[] = []
    entries.push({ level, values, at })
    for (const value of data) {
      const whole = print(value)
      const text = fitText(whole, left)
      if (text !== '' || whole === '') values.push({ text, isText: typeof value === 'string' })
      if (text.length < whole.length) return { entries, isPartial: true }
      left -= countBytes(text) + 1
    }
    if (left <= 0) return { entries, isPartial: entries.length < logs.length }
  }
  return { entries, isPartial: false }
}

// Names no entry by its identity: those that came one by one come again with the end of the run.
function viewBlock(entries: readonly ShownEntry[]) {
  const [first, last] = [entries[0], entries.at(-1)]
  const known = [entries.length, first?.at, first && textOf(first), last?.at, last && textOf(last)]
  return guard(known, () => html`<div class="block">${entries.map(viewEntry)}</div>`)
}

function viewNote(logs: readonly LogEntry[]) {
  const bytes = logs.reduce((sum, { data }) => sum + countBytes(JSON.stringify(data)), 0)
  return html`<p class="note">truncated: 64 KB of ${formatBytes(bytes)}</p>`
}

// The words of the gateway (`scripts/ending/run-log.ts`), whole: a script may log the first of them.
const cutByGateway =
  /^The log was cut: .+ more entries \(\d+ characters\) were dropped; a run may log \d+ entries and \d+ bytes$/

// They are the last entry, which may be past what is shown.
function viewCutByGateway(logs: readonly LogEntry[]) {
  const [text, ...more] = logs.at(-1)?.data ?? []
  const isCut = typeof text === 'string' && more.length === 0 && cutByGateway.test(text)
  return isCut ? html`<p class="note">truncated: ${text}</p>` : nothing
}

const clock = new Intl.DateTimeFormat(timeLanguage, {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3, hourCycle: 'h23' },
})

// The style sheet shows the time, so that a copy of the log is what the script wrote.
function viewEntry(entry: ShownEntry) {
  const { level, at } = entry
  const time = clock.format(new Date(at))
  const shown = html`<span class="level" title=${at}>${level}</span> ${viewValues(entry)}`
  return html`<div role="listitem" class="entry level-${level}" data-time=${time}>${shown}</div>`
}

// The rest of an entry with more values is shown as one.
const maxValues = 200

// Each value is laid out by itself: words that are written from right to left would turn round the JSON after them.
function viewValues(entry: ShownEntry) {
  const text = textOf(entry)
  if (isPlain(text)) return html`<bdi>${text}</bdi>`
  const { values } = entry
  const rest = textOf({ values: values.slice(maxValues) })
  const room = roomForText()
  const shown = [...values.slice(0, maxValues), ...(rest === '' ? [] : [{ text: rest, isText: false }])]
  return shown.map((value, index) => html`${index === 0 ? '' : ' '}${viewValue(value, room)}`)
}

function viewValue({ text, isText }: ShownValue, room: TextRoom) {
  return isText
    ? html`<bdi dir="auto">${viewText(text, room)}</bdi>`
    : html`<bdi dir="ltr">${viewJson(text, room)}</bdi>`
}

function textOf({ values }: Pick<ShownEntry, 'values'>): string {
  return values.map(({ text }) => text).join(' ')
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
