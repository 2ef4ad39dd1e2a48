import { currentSession, forget, keep, ownerOf, readKept } from '../gateway/session.ts'
import { isSingleKey, type Key, keyOf } from './keys.ts'

/** The keys of a list, for the dialog of all keys. */
export const listKeys: readonly Key[] = [
  { keys: 'j, k', does: 'Moves to the next row, or to the one before' },
  { keys: 'Enter', does: 'Opens the row' },
]

/** The key of a page that a list opens. */
export const itemKeys: readonly Key[] = [{ keys: 'Escape', does: 'Goes back to the list' }]

interface Opened {
  /** The address of the list, with its filters. */
  readonly list: string
  /** The address of the row that was opened. */
  readonly row: string
  /** How many rows the list had down to it. */
  readonly place: number
}

// To find a row below this place would take many seconds.
const maxPlace = 10_000
// Rows that came before the opened one meanwhile.
const maxNewer = 300
const maxAtOnce = 500
// Another person may sign in in this tab, and is not led to the filters of this one.
const openedKey = () => `rostrum.opened.${ownerOf(currentSession())}`

/**
 * Moves the focus between the links `a[data-row]` of the page with `j` and `k`, one to a row. Keeps which one was
 * opened, for `focusOpenedRow`.
 */
export function handleListKeys(): void {
  const onKey = (event: KeyboardEvent): void => {
    const key = keyOf(event)
    if ((key !== 'j' && key !== 'k') || !isSingleKey(event)) return
    const rows = [...document.querySelectorAll<HTMLElement>('a[data-row]')]
    const here = rows.indexOf(document.activeElement as HTMLElement)
    const next = key === 'j' ? here + 1 : Math.max(0, here - 1)
    rows[Math.min(next, rows.length - 1)]?.focus()
    event.preventDefault()
  }
  const onClick = ({ target }: Event): void => {
    const row = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-row]') : null
    if (row === null) return
    const opened: Opened = {
      list: location.pathname + location.search,
      row: row.getAttribute('href') ?? '',
      place: [...document.querySelectorAll('a[data-row]')].indexOf(row) + 1,
    }
    keep(openedKey(), JSON.stringify(opened))
  }
  document.addEventListener('keydown', onKey)
  document.addEventListener('click', onClick)
}

/**
 * Focuses the row that was opened from this list, once. Call it when the first rows are rendered. It loads more until
 * the row is among them, to 300 rows below its place. `loadMore` loads a page, or `count` rows if they are more, and
 * resolves once they are rendered; to false without any.
 */
export async function focusOpenedRow(
  loadMore: (count: number) => Promise<boolean> = async () => false,
): Promise<void> {
  const opened = readOpened()
  if (opened?.list !== location.pathname + location.search) return
  forget(openedKey())
  const before = document.activeElement
  if (opened.place > maxPlace) return
  const find = () => document.querySelector<HTMLElement>(`a[data-row][href="${CSS.escape(opened.row)}"]`)
  let row = find()
  while (row === null) {
    const missing = opened.place - document.querySelectorAll('a[data-row]').length
    if (missing <= -maxNewer || !(await loadMore(Math.min(missing, maxAtOnce)))) return
    row = find()
  }
  // The person may have gone on meanwhile.
  if (document.activeElement === before) row?.focus()
}

/**
 * Loads more rows, and shows at the pressed button that they are on their way. The first of them takes the focus if
 * the button is gone: after the last rows there is none. `loadMore` resolves once they are rendered, and `selector`
 * finds what to focus in each row.
 */
export async function loadMoreRows(
  { currentTarget: button }: Event,
  loadMore: () => Promise<unknown>,
  selector = 'a[data-row]',
): Promise<void> {
  const find = () => [...document.querySelectorAll<HTMLElement>(selector)]
  const last = find().at(-1)
  if (button instanceof HTMLElement) button.ariaBusy = 'true'
  try {
    await loadMore()
  } finally {
    if (button instanceof HTMLElement) button.ariaBusy = null
  }
  if (last === undefined || document.activeElement !== document.body) return
  const rows = find()
  // It stands where the button was. Nothing moves under a person who has scrolled away.
  rows[rows.indexOf(last) + 1]?.focus({ preventScroll: true })
}

/** Goes back to the list on Escape, outside of fields and dialogs. */
export function handleItemKeys(listPath: string): void {
  const onKey = (event: KeyboardEvent): void => {
    // The key may be held since it closed a dialog.
    if (event.key !== 'Escape' || event.repeat || !isSingleKey(event)) return
    const list = readOpened()?.list
    location.assign(list?.split('?')[0] === listPath ? list : listPath)
  }
  document.addEventListener('keydown', onKey)
}

function readOpened(): Opened | null {
  const text = readKept(openedKey())
  return text === null ? null : (JSON.parse(text) as Opened)
}
