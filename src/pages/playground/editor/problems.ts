import { ensureSyntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import type { Problem } from '../types/protocol.ts'

const maxParseMs = 100

const setMarks = StateEffect.define<DecorationSet>()

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value
    return marks.map(transaction.changes)
  },
  provide: field => EditorView.decorations.from(field),
})

/** Lets an editor underline problems. */
export const marks: Extension = field

/** Underlines the problems, and nothing else. */
export function showMarks(view: EditorView, problems: readonly Problem[]): void {
  const ranges = problems.map(problem => {
    const from = positionOf(view, problem)
    const lineEnd = view.state.doc.lineAt(from).to
    const to = problem.length === 0 ? lineEnd : Math.min(from + problem.length, view.state.doc.length)
    return { from: Math.min(from, Math.max(to - 1, 0)), to }
  })
  const visible = ranges.filter(({ from, to }) => from < to)
  const mark = Decoration.mark({ class: 'cm-mark' })
  const set = Decoration.set(
    visible.map(({ from, to }) => mark.range(from, to)),
    true,
  )
  view.dispatch({ effects: setMarks.of(set) })
}

/** Returns the offset of a place; the nearest one if the text is shorter by now. */
export function positionOf(view: EditorView, { line, column }: Pick<Problem, 'line' | 'column'>): number {
  const { doc } = view.state
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return Math.min(from + Math.max(column, 1) - 1, to)
}

/** Returns where the text of an editor stops being JSON; null if it is JSON. */
export function findJsonFault(state: EditorState): Problem | null {
  try {
    JSON.parse(state.doc.toString())
    return null
  } catch {
    const offset = findError(state)
    const line = state.doc.lineAt(offset)
    return { line: line.number, column: offset - line.from + 1, length: 1, message: 'not valid JSON' }
  }
}

// Some browsers name the place in their message, others do not. The editor's parser always knows it.
function findError(state: EditorState): number {
  let first: number | null = null
  ensureSyntaxTree(state, state.doc.length, maxParseMs)?.iterate({
    enter({ type, from }) {
      if (type.isError) first ??= from
    },
  })
  return first ?? 0
}
