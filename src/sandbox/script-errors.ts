import type { ScriptError } from '../scripts/protocol.ts'

/** Errors with which the sandbox itself ends a run. */
export const outOfMemory = withoutPosition('MEMORY', 'The run used more memory than allowed')

export function outOfTime(timeoutMs: number): ScriptError {
  return withoutPosition('TIMEOUT', `The run did not end within its ${timeoutMs} ms`)
}

/** Returns the error for a result or message over `resultBytes`. `what` names which of the two it is. */
export function tooLarge(what: string, resultBytes: number): ScriptError {
  return withoutPosition('LIMIT', `The ${what} has more than the ${resultBytes} bytes allowed`)
}

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

/** Returns the error of a promise rejection that no handler can follow any more. */
export function unhandledRejection(error: Error): ScriptError {
  const { text, position } = describeRejection(error)
  const { line, column } = position ?? { line: null, column: null }
  return {
    code: 'RUNTIME',
    message: `Unhandled rejection${text}`.slice(0, maxMessageLength),
    line,
    column,
    stack: null,
  }
}

/**
 * Returns the error of a run that ended without an outcome. It mentions a rejection that first came without a handler:
 * isolated-vm does not report whether the script handled it later.
 */
export function noOutcome(rejection: Error | null): ScriptError {
  const ended = 'The script ended without calling `exit` or `fail`, and nothing is pending'
  if (rejection === null) return withoutPosition('NO_OUTCOME', ended)
  const { text, position } = describeRejection(rejection)
  const place = position === null ? '' : ` at ${position.line}:${position.column}`
  const before = `Before, a promise without a handler was rejected${place}`
  return withoutPosition('NO_OUTCOME', `${ended}. ${before}${text}`.slice(0, maxMessageLength))
}

function describeRejection({ message, stack }: Error): { text: string; position: Position | null } {
  if (message.startsWith(notTransferred))
    return { text: ' with a value that is not an `Error`', position: null }
  const frames = typeof stack === 'string' ? stack : ''
  // Skips the message, because it may contain lines that look like frames.
  const found = /task\.js:(\d+):(\d+)\)?$/m.exec(frames.slice(frames.indexOf(message) + message.length))
  const position = found === null ? null : { line: Number(found[1]), column: Number(found[2]) }
  return { text: `: ${message}`, position }
}

function withoutPosition(code: ScriptError['code'], message: string): ScriptError {
  return { code, message, line: null, column: null, stack: null }
}
