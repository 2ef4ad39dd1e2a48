import { ensureSyntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import type { Problem } from '../types/protocol.ts'

const maxParseMs = 100

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
