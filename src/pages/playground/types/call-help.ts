import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, showTooltip, type Tooltip } from '@codemirror/view'
import type { CallDescription } from './protocol.ts'
import { toElement } from './to-element.ts'

type DescribeCall = (script: string, offset: number) => Promise<CallDescription | null>

const setCall = StateEffect.define<CallDescription | null>()

const shownCall = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, { effects, changes }) {
    for (const effect of effects) if (effect.is(setCall)) return effect.value && toTooltip(effect.value)
    return shown && { ...shown, pos: changes.mapPos(shown.pos) }
  },
  provide: field => showTooltip.from(field),
})

/**
 * Shows what a call takes, with the argument at the cursor marked, from its bracket or comma until the cursor has left
 * the call. Says nothing until the types are there.
 */
export function createCallHelp(describeCall: DescribeCall): Extension {
  let looks = 0

  async function look(view: EditorView): Promise<void> {
    const own = ++looks
    const { doc, selection } = view.state
    const call = view.hasFocus ? await describeCall(doc.toString(), selection.main.head) : null
    if (own !== looks) return
    const { state } = view
    // The answer is for an earlier place.
    if (state.doc !== doc || !state.selection.eq(selection)) return look(view)
    if (call !== null || state.field(shownCall) !== null) view.dispatch({ effects: setCall.of(call) })
  }

  const follow = EditorView.updateListener.of(update => {
    const { state, view, docChanged, selectionSet, focusChanged } = update
    const { head } = state.selection.main
    const isTyped = docChanged && update.transactions.some(each => each.isUserEvent('input.type'))
    const begins = isTyped && /[(,]/.test(state.sliceDoc(head - 1, head))
    const goesOn = state.field(shownCall) !== null && (docChanged || selectionSet || focusChanged)
    // An editor cannot be changed while it is being changed.
    if (begins || goesOn) queueMicrotask(() => void look(view))
  })
  return [shownCall, follow]
}

/** Closes what `createCallHelp` shows. */
export function closeCallHelp(view: EditorView): void {
  if (view.state.field(shownCall, false)) view.dispatch({ effects: setCall.of(null) })
}

function toTooltip({ from, before, argument, after, documentation }: CallDescription): Tooltip {
  const create = () => {
    const marked = document.createElement('strong')
    marked.append(argument)
    return { dom: toElement([before, marked, after], documentation, 'tooltip') }
  }
  return { pos: from, above: true, create }
}
