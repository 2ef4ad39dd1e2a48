/** A key of a page, as the dialog of all keys lists it. */
export interface Key {
  readonly keys: string
  readonly does: string
}

const places: Readonly<Record<string, string>> = {
  p: '/playground',
  f: '/functions',
  r: '/runs',
  c: '/cases',
  m: '/members',
}

const sequenceMs = 1_500

export const commonKeys: readonly Key[] = [
  { keys: '?', does: 'Shows this list' },
  { keys: 'g then p', does: 'Goes to Playground' },
  { keys: 'g then f', does: 'Goes to Functions' },
  { keys: 'g then r', does: 'Goes to Runs' },
  { keys: 'g then c', does: 'Goes to Cases' },
  { keys: 'g then m', does: 'Goes to Members' },
  { keys: '/', does: 'Goes to the search field' },
]

/**
 * Returns the key. On a layout without Latin letters, it is the key that a US layout has at this place. A sign that is
 * typed with Alt stays what it is: Polish has "ś" at AltGr and S. Caps Lock alone changes no key.
 */
export function keyOf(event: KeyboardEvent): string {
  const { key, code, shiftKey } = event
  const isForeign = key.length === 1 && key > '~' && !event.altKey && !event.getModifierState('AltGraph')
  const isCapital = /^[A-Z]$/.test(key) && !shiftKey && event.getModifierState('CapsLock')
  if (!isForeign) return isCapital ? key.toLowerCase() : key
  if (code === 'Slash') return shiftKey ? '?' : '/'
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key
}

/** True for Ctrl or Cmd with S. */
export function isSaveKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && keyOf(event).toLowerCase() === 's'
}

/** True while the key goes into a field or an editor. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input, textarea, select')
}

/** True if the key is a letter or sign by itself that nobody types, outside of dialogs. */
export function isSingleKey(event: KeyboardEvent): boolean {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
  return (
    isPlain && !event.defaultPrevented && !isTyping(event) && document.querySelector('dialog[open]') === null
  )
}

/** Handles the keys of all pages. */
export function handleCommonKeys(showKeys: () => void): void {
  let goSince = Number.NEGATIVE_INFINITY
  const onKey = (event: KeyboardEvent): void => {
    if (!isSingleKey(event)) return
    const key = keyOf(event)
    const place = event.timeStamp - goSince < sequenceMs ? places[key] : undefined
    goSince = key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    if (place !== undefined) location.assign(place)
    else if (key === '?') showKeys()
    else if (key !== '/' || !focusSearch()) return
    event.preventDefault()
  }
  document.addEventListener('keydown', onKey)
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('input[type="search"]')
  field?.focus()
  field?.select()
  return field !== null
}
