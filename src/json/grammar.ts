// JSON (RFC 8259) as a table: the state and the next byte select the next state, or an action. A number may end in the
// states `zero`, `digits`, `fraction` and `exponent`.

const states = [
  'value',
  'firstElement',
  'firstKey',
  'key',
  'colon',
  'afterValue',
  'text',
  'escape',
  'hex1',
  'hex2',
  'hex3',
  'hex4',
  'minus',
  'zero',
  'digits',
  'point',
  'fraction',
  'e',
  'eSign',
  'exponent',
  't',
  'tr',
  'tru',
  'f',
  'fa',
  'fal',
  'fals',
  'n',
  'nu',
  'nul',
] as const

type State = (typeof states)[number]

const actions = [
  'fail',
  'beginKey',
  'endText',
  'openObject',
  'openArray',
  'closeObject',
  'closeArray',
  'closeEmpty',
  'comma',
] as const

type Action = (typeof actions)[number]

const firstAction = 64

/** The table: index `(state << 8) | byte` holds the next state, or an action, which is 64 or more. */
export const transitions = new Uint8Array(states.length << 8).fill(firstAction)

export const stateOf = Object.fromEntries(states.map((name, index) => [name, index])) as Record<State, number>
export const actionOf = Object.fromEntries(
  actions.map((name, index) => [name, firstAction + index]),
) as Record<Action, number>

function on(from: readonly State[], characters: string, to: State | Action): void {
  const target = to in stateOf ? stateOf[to as State] : actionOf[to as Action]
  for (const state of from) {
    for (const character of characters) {
      transitions[(stateOf[state] << 8) | character.charCodeAt(0)] = target
    }
  }
}

const space = ' \n\r\t'
const digit = '0123456789'
const hexDigit = `${digit}abcdefABCDEF`
const beforeValue: readonly State[] = ['value', 'firstElement']
const wholeNumbers: readonly State[] = ['zero', 'digits', 'fraction', 'exponent']

for (const state of ['value', 'firstElement', 'firstKey', 'key', 'colon', 'afterValue'] as const) {
  on([state], space, state)
}
on(beforeValue, '{', 'openObject')
on(beforeValue, '[', 'openArray')
on(beforeValue, '"', 'text')
on(beforeValue, '-', 'minus')
on(beforeValue, '0', 'zero')
on(beforeValue, '123456789', 'digits')
on(['firstElement'], ']', 'closeEmpty')
on(['firstKey'], '}', 'closeEmpty')
on(['firstKey', 'key'], '"', 'beginKey')
on(['colon'], ':', 'value')
on([...wholeNumbers, 'afterValue'], ',', 'comma')
on([...wholeNumbers, 'afterValue'], '}', 'closeObject')
on([...wholeNumbers, 'afterValue'], ']', 'closeArray')
on(wholeNumbers, space, 'afterValue')

// Inside a string, all bytes except control characters stand for themselves.
transitions.fill(stateOf.text, (stateOf.text << 8) + 0x20, (stateOf.text + 1) << 8)
on(['text'], '\\', 'escape')
on(['text'], '"', 'endText')
on(['escape'], '"\\/bfnrt', 'text')
on(['escape'], 'u', 'hex1')
on(['hex1'], hexDigit, 'hex2')
on(['hex2'], hexDigit, 'hex3')
on(['hex3'], hexDigit, 'hex4')
on(['hex4'], hexDigit, 'text')

on(['minus'], '0', 'zero')
on(['minus'], '123456789', 'digits')
on(['digits'], digit, 'digits')
on(['zero', 'digits'], '.', 'point')
on(['point', 'fraction'], digit, 'fraction')
on(['zero', 'digits', 'fraction'], 'eE', 'e')
on(['e'], '+-', 'eSign')
on(['e', 'eSign', 'exponent'], digit, 'exponent')

for (const word of ['true', 'false', 'null'] as const) {
  on(beforeValue, word.slice(0, 1), word.slice(0, 1) as State)
  for (let at = 1; at < word.length; at++) {
    const isLast = at === word.length - 1
    on(
      [word.slice(0, at) as State],
      word.charAt(at),
      isLast ? 'afterValue' : (word.slice(0, at + 1) as State),
    )
  }
}

/** True if a JSON text may end in this state, outside all brackets. */
export function mayEndIn(state: number): boolean {
  return state === stateOf.afterValue || wholeNumbers.some(name => stateOf[name] === state)
}
