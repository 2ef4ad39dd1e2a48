import type { RunFilter } from './run-documents.ts'

/** The filters as the address has them; an empty text does not filter. */
export interface RunQuery {
  readonly outcome: string
  readonly function: string
  readonly trigger: string
  readonly text: string
  /** The runs that started before this time, as ISO 8601 has it in UTC, so that a link means the same everywhere. */
  readonly before: string
}

const names = ['outcome', 'function', 'trigger', 'text', 'before'] as const

export const outcomes = ['exit', 'fail', 'error'] as const
export const triggers = ['endpoint', 'function', 'hook', 'task', 'webhook', 'replay'] as const

/** Reads the filters of an address. */
export function readQuery(search: string): RunQuery {
  const query = new URLSearchParams(search)
  const [outcome, ofFunction, trigger, text, before] = names.map(name => query.get(name) ?? '')
  return {
    outcome: isOneOf(outcomes, outcome) ? outcome : '',
    function: ofFunction ?? '',
    trigger: isOneOf(triggers, trigger) ? trigger : '',
    text: text ?? '',
    before: toTime(before ?? ''),
  }
}

/** Writes the address of `/runs` with these filters. */
export function writeAddress(query: RunQuery): string {
  const given = names.flatMap(name => (query[name] === '' ? [] : [[name, query[name]]]))
  const search = new URLSearchParams(given).toString()
  return search === '' ? '/runs' : `/runs?${search}`
}

/** Returns what to ask for. The field keeps a space at its end: more text may follow. */
export function toFilter({ outcome, function: functionId, trigger, text, before }: RunQuery): RunFilter {
  const wanted = text.trim()
  return {
    ...(outcome === '' ? {} : { outcome: outcome.toUpperCase() }),
    ...(functionId === '' ? {} : { functionId }),
    ...(trigger === '' ? {} : { trigger: trigger.toUpperCase() }),
    ...(wanted === '' ? {} : { text: wanted }),
    ...(before === '' ? {} : { startedBefore: before }),
  }
}

// The gateway and the field of the browser take years of four digits, whatever the time zone is.
const [firstTime, lastTime] = [Date.parse('0001-01-02'), Date.parse('9999-12-30')]

/** Reads a time. A date with a time but no zone, as a field of the browser gives it, is in the zone of the browser. */
export function toTime(text: string): string {
  const at = Date.parse(text)
  return at >= firstTime && at <= lastTime ? new Date(at).toISOString() : ''
}

/** Prints a time as a field of the browser takes it: to the minute, in the zone of the browser. */
export function toLocalTime(time: string): string {
  if (time === '') return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function isOneOf<Name extends string>(list: readonly Name[], text: string | undefined): text is Name {
  return list.some(name => name === text)
}
