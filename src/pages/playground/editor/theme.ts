import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// The colours are custom properties of the page, which change with its scheme.
const surfaces = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: 'calc(14rem / 15)',
  },
  // The element around it shows the focus.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-gutters': { color: 'var(--code-quiet)', backgroundColor: 'var(--surface)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--raised)',
    outline: '1px solid var(--field-line)',
  },
  '&:not(.cm-focused) .cm-cursorLayer': { display: 'none' },
  '.cm-mark': {
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    boxShadow: '0 6px 20px rgb(0 0 0 / 0.2)',
    maxWidth: 'min(32rem, 90vw)',
  },
  '.cm-describe': {
    padding: '6px 10px',
    fontFamily: 'var(--mono)',
    fontSize: 'calc(13rem / 15)',
    whiteSpace: 'pre-wrap',
  },
  '.cm-describe p': { margin: '6px 0 0', fontFamily: 'var(--sans)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: '#fff',
  },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 10px', whiteSpace: 'pre-wrap' },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-quiet)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.function(tags.variableName)], color: 'var(--code-name)' },
])

/** How the editors look, light and dark. */
export const theme = [surfaces, syntaxHighlighting(colours)]
