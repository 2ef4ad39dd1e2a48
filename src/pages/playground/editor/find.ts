import { closeSearchPanel, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'

const words = {
  next: 'Next',
  previous: 'Previous',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
  go: 'Go',
}

// The editor has one selection, so what selects several places is left out.
const keysOfSeveral = ['Mod-d', 'Mod-Shift-l']

// Escape in the text closes the search, and lets the next Tab leave the editor all the same.
const leaveKey = {
  key: 'Escape',
  run(view: EditorView) {
    closeSearchPanel(view)
    return false
  },
}

const surfaces = EditorView.theme({
  '.cm-panels': {
    // Above the text, and below the bar of buttons that stays in sight on a narrow screen.
    zIndex: '1',
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    fontFamily: 'var(--sans)',
  },
  // A low editor keeps some room for its text.
  '.cm-panels-top': {
    flexShrink: '0',
    maxHeight: '60%',
    overflow: 'auto',
    borderBottom: '1px solid var(--line)',
  },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 40px 6px 10px' },
  '.cm-panel.cm-search label': { display: 'inline-block', fontSize: '90%' },
  '.cm-panel.cm-search [name=select]': { display: 'none' },
  '.cm-panel.cm-search [name=close], .cm-dialog-close': {
    top: '4px',
    right: '6px',
    width: '28px',
    height: '28px',
    color: 'inherit',
    fontSize: '120%',
    cursor: 'pointer',
  },
  '.cm-textfield, .cm-button': {
    padding: '3px 8px',
    border: '1px solid var(--field-line)',
    borderRadius: '6px',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'inherit',
    font: 'inherit',
    fontSize: '90%',
  },
  '.cm-textfield': { width: '14rem', maxWidth: '100%', fontFamily: 'var(--mono)' },
  '.cm-button': { cursor: 'pointer' },
  '.cm-button:active': { backgroundImage: 'none' },
  '.cm-panel :focus-visible': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warn) 30%, transparent)' },
  '.cm-searchMatch-selected': {
    backgroundColor: 'color-mix(in srgb, var(--warn) 60%, transparent)',
    outline: '1px solid var(--warn)',
  },
})

/** Finds and replaces in the whole text. The search of a browser finds only the lines that an editor has drawn. */
export const find = [
  search({ top: true }),
  EditorState.phrases.of(words),
  keymap.of([leaveKey, ...searchKeymap.filter(({ key = '' }) => !keysOfSeveral.includes(key))]),
  surfaces,
]
