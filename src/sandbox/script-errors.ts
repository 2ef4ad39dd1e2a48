import { type ScriptError, withoutPosition } from '../scripts/protocol.ts'

export const noOutcome = withoutPosition(
  'NO_OUTCOME',
  'The script ended without calling `exit` or `fail`, and nothing is pending',
)

export interface Position {
  readonly line: number
  readonly column: number
}

export interface SyntaxPosition extends Position {
  /** True for a `}` that closes nothing in the script. */
  readonly isSurplusBrace: boolean
}

/**
 * Returns a syntax error at the position that V8 reported. A position after the text means that the text ends too
 * early.
 */
export function syntaxError(message: string, source: string, position: SyntaxPosition | null): ScriptError {
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/)
  const last = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  const isAfterText = position !== null && position.line > lines.length
  const { line, column } = (isAfterText ? last : position) ?? { line: null, column: null }
  // V8 names a token of the wrapper, which the author did not write, or one that makes sense without the brace.
  const token = isAfterText ? 'end of input' : position?.isSurplusBrace === true ? "token '}'" : null
  const shown = token === null ? message : `SyntaxError: Unexpected ${token}`
  return { code: 'SYNTAX', message: shown, line, column, stack: null }
}

const maxMessageLength = 8_192

// The message of isolated-vm for a thrown value that cannot be transferred out of the isolate.
const notTransferred = 'An object was thrown from supplied code within isolated-vm'

/** Returns the error of a promise rejection without a handler. */
export function unhandledRejection({ name, message, stack }: Error): ScriptError {
  if (message.startsWith(notTransferred))
    return withoutPosition('RUNTIME', 'Unhandled rejection with a value that is not an `Error`')
  const text = typeof stack === 'string' ? stack : ''
  // The class comes first, and its name may contain the message.
  const header = `${name}: ${message}`
  const frames = text.startsWith(header) ? framesAfter(text.slice(header.length), message) : ''
  const position = /task\.js:(\d+):(\d+)\)?$/m.exec(frames)
  return {
    code: 'RUNTIME',
    // Never ends with half a character.
    message: `Unhandled rejection: ${message}`.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, ''),
    line: position === null ? null : Number(position[1]),
    column: position === null ? null : Number(position[2]),
    stack: null,
  }
}

// Returns the frames in the rest of a stack after the message. The message may contain lines that look like frames, and
// isolated-vm repeats the message from the first line that begins like a frame. If something else is there, as after a
// message that V8's stack holds only in part, nothing is known about the frames.
function framesAfter(rest: string, message: string): string {
  const repeatedAt = message.indexOf('\n    at')
  const repeated = repeatedAt < 0 ? '' : message.slice(repeatedAt)
  return rest.startsWith(`${repeated}\n    at `) ? rest.slice(repeated.length) : ''
}
