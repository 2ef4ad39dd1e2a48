import { isSingleKey, type Key } from './keys.ts'

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
}

const openedKey = 'rostrum.opened'

/**
 * Moves the focus between the links `a[data-row]` of the page with `j` and `k`, one to a row, until the signal is
 * aborted. Keeps which one was opened, for `focusOpenedRow`.
 */
export function handleListKeys(signal: AbortSignal): void {
  const onKey = (event: KeyboardEvent): void => {
    if ((event.key !== 'j' && event.key !== 'k') || !isSingleKey(event)) return
    const rows = [...document.querySelectorAll<HTMLElement>('a[data-row]')]
    const here = rows.indexOf(document.activeElement as HTMLElement)
    const next = event.key === 'j' ? here + 1 : Math.max(0, here - 1)
    rows[Math.min(next, rows.length - 1)]?.focus()
    event.preventDefault()
  }
  const onClick = ({ target }: Event): void => {
    const row = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-row]') : null
    if (row === null) return
    const opened: Opened = {
      list: location.pathname + location.search,
      row: row.getAttribute('href') ?? '',
    }
    sessionStorage.setItem(openedKey, JSON.stringify(opened))
  }
  document.addEventListener('keydown', onKey, { signal })
  document.addEventListener('click', onClick, { signal })
}

/** Focuses the row that was opened from this list, once. Call it when the rows are rendered. */
export function focusOpenedRow(): void {
  const opened = readOpened()
  if (opened?.list !== location.pathname + location.search) return
  sessionStorage.removeItem(openedKey)
  document.querySelector<HTMLElement>(`a[data-row][href="${CSS.escape(opened.row)}"]`)?.focus()
}

/** Goes back to the list on Escape, outside of fields and dialogs, until the signal is aborted. */
export function handleItemKeys(listPath: string, signal: AbortSignal): void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isSingleKey(event)) return
    const list = readOpened()?.list
    location.assign(list?.split('?')[0] === listPath ? list : listPath)
  }
  document.addEventListener('keydown', onKey, { signal })
}

function readOpened(): Opened | null {
  const text = sessionStorage.getItem(openedKey)
  return text === null ? null : (JSON.parse(text) as Opened)
}
