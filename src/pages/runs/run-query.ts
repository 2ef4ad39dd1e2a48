import type { RunFilter } from './run-documents.ts'

/** The filters as the address has them; an empty text does not filter. */
export interface RunQuery {
  readonly outcome: string
  readonly function: string
  readonly trigger: string
  readonly text: string
}

const names = ['outcome', 'function', 'trigger', 'text'] as const

export const outcomes = ['exit', 'fail', 'error'] as const
export const triggers = ['endpoint', 'function', 'hook', 'task', 'webhook', 'replay'] as const

/** Reads the filters of an address. */
export function readQuery(search: string): RunQuery {
  const query = new URLSearchParams(search)
  const [outcome, ofFunction, trigger, text] = names.map(name => query.get(name) ?? '')
  return {
    outcome: isOneOf(outcomes, outcome) ? outcome : '',
    function: ofFunction ?? '',
    trigger: isOneOf(triggers, trigger) ? trigger : '',
    text: text ?? '',
  }
}

/** Writes the address of `/runs` with these filters. */
export function writeAddress(query: RunQuery): string {
  const given = names.flatMap(name => (query[name] === '' ? [] : [[name, query[name]]]))
  const search = new URLSearchParams(given).toString()
  return search === '' ? '/runs' : `/runs?${search}`
}

/** Returns what to ask for. The field keeps a space at its end: more text may follow. */
export function toFilter({ outcome, function: functionId, trigger, text }: RunQuery): RunFilter {
  const wanted = text.trim()
  return {
    ...(outcome === '' ? {} : { outcome: outcome.toUpperCase() }),
    ...(functionId === '' ? {} : { functionId }),
    ...(trigger === '' ? {} : { trigger: trigger.toUpperCase() }),
    ...(wanted === '' ? {} : { text: wanted }),
  }
}

function isOneOf<Name extends string>(list: readonly Name[], text: string | undefined): text is Name {
  return list.some(name => name === text)
}
