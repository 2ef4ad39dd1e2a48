import { allows } from '../gateway/session.ts'
import { isSaveKey, type Key } from '../shell/keys.ts'

interface Actions {
  readonly run: () => void
  /** Returns false if nothing runs. */
  readonly stop: () => boolean
  readonly save: () => void
  /** Chooses a result tab by its number, from 0. */
  readonly chooseTab: (index: number) => void
}

/** Returns the keys of the playground, each beside a button that the person has. */
export function listPlaygroundKeys(): readonly Key[] {
  const running = [
    { keys: 'Ctrl+Enter', does: 'Runs the script' },
    { keys: 'Escape', does: 'Stops the run; else, with Tab after it, leaves an editor' },
  ]
  return [
    ...(allows('tasks:execute') ? running : [{ keys: 'Escape then Tab', does: 'Leaves an editor' }]),
    ...(allows('functions:write') ? [{ keys: 'Ctrl+S', does: 'Saves' }] : []),
    { keys: 'Ctrl+F', does: 'Finds and replaces in an editor' },
    { keys: 'Alt+1 to Alt+5', does: 'Chooses a result tab' },
  ]
}

/** Handles the keys before the editors see them. */
export function handlePlaygroundKeys({ run, stop, save, chooseTab }: Actions): void {
  const handle = (event: KeyboardEvent): boolean => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey
    const tab = /^Digit([1-5])$/.exec(event.code)?.[1]
    // An input method takes an Escape that ends a composition.
    if (event.key === 'Escape') return !event.isComposing && stop()
    if (isCommand && event.key === 'Enter') run()
    else if (isCommand && isSaveKey(event)) save()
    else if (event.altKey && !event.ctrlKey && tab !== undefined) chooseTab(Number(tab) - 1)
    else return false
    return true
  }
  const onKey = (event: KeyboardEvent): void => {
    if (document.querySelector('dialog[open]') !== null) {
      // The browser would save the page as a file.
      if (isSaveKey(event)) event.preventDefault()
      return
    }
    // Escape closes an open menu first, as it does a dialog.
    if (event.key === 'Escape' && document.querySelector('[role="menu"]:not([hidden])') !== null) return
    if (!handle(event)) return
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('keydown', onKey, { capture: true })
}
