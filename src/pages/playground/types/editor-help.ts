import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { closeHoverTooltips, type EditorView, hasHoverTooltips, hoverTooltip, keymap } from '@codemirror/view'
import { closeCallHelp, createCallHelp } from './call-help.ts'
import type { Answers, Question } from './protocol.ts'
import { toElement } from './to-element.ts'

type Ask = <Kind extends keyof Answers>(
  kind: Kind,
  question: Partial<Question> & { readonly script: string },
) => Promise<Answers[Kind]>

// What an editor calls the kinds of TypeScript.
const kinds: Readonly<Record<string, string>> = {
  const: 'constant',
  let: 'variable',
  var: 'variable',
  'local function': 'function',
  getter: 'property',
  module: 'namespace',
}

/**
 * Completes names, describes the name under the pointer, and shows what a call takes. All say nothing until the types
 * are there.
 */
export function createEditorHelp(ask: Ask): Extension {
  async function complete(context: CompletionContext): Promise<CompletionResult | null> {
    const word = context.matchBefore(/[\w$]*$/)
    const isMember = context.matchBefore(/\.[\w$]*$/) !== null
    if (word === null || (word.from === word.to && !isMember && !context.explicit)) return null
    const script = context.state.doc.toString()
    const { pos } = context
    const found = await ask('complete', { script, offset: pos }).catch(() => [])
    if (found.length === 0) return null
    const options = found.map(({ name, kind, sortText }) => ({
      label: name,
      type: kinds[kind] ?? kind,
      // Locals come before globals, and both before keywords.
      boost: 20 - Number.parseInt(sortText, 10) || 0,
      info: async () => {
        const description = await ask('explain', { script, offset: pos, name }).catch(() => null)
        return description === null ? null : toElement([description.signature], description.documentation)
      },
    }))
    return { from: word.from, options, validFor: /^[\w$]*$/ }
  }

  const describe = hoverTooltip(async (view, offset) => {
    const script = view.state.doc.toString()
    const description = await ask('describe', { script, offset }).catch(() => null)
    if (description === null) return null
    const { from, to, signature, documentation } = description
    return {
      pos: from,
      end: to,
      above: true,
      create: () => ({ dom: toElement([signature], documentation, 'tooltip') }),
    }
  })

  // Enter takes the completion as soon as it is seen.
  return [
    autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
    describe,
    createCallHelp((script, offset) => ask('describeCall', { script, offset }).catch(() => null)),
    keymap.of([{ key: 'Escape', run: closeDescription }]),
  ]
}

// A description covers text, so Escape closes it. It does what it does otherwise too.
function closeDescription(view: EditorView): boolean {
  if (hasHoverTooltips(view.state)) view.dispatch({ effects: closeHoverTooltips })
  closeCallHelp(view)
  return false
}
