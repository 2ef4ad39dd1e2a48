import type { ScriptError } from '../tasks/protocol.ts'

/** The errors with which the sandbox itself ends a run. */
export const outOfMemory = withoutPlace('MEMORY', 'The run used more memory than it may')

export const uninterruptible = withoutPlace('TIMEOUT', 'The run could not be interrupted')

export const noOutcome = withoutPlace(
  'NO_OUTCOME',
  'The script ended without calling `exit` or `fail`, and nothing is pending',
)

export function outOfTime(timeoutMs: number): ScriptError {
  return withoutPlace('TIMEOUT', `The run did not end within its ${timeoutMs} ms`)
}

export function outOfProcessorTime(cpuMs: number): ScriptError {
  return withoutPlace('TIMEOUT', `The run used more than its ${cpuMs} ms of processor time`)
}

/** `what` is the result or the message. */
export function tooLarge(what: string, resultBytes: number): ScriptError {
  return withoutPlace('LIMIT', `The ${what} has more than ${resultBytes} bytes, the most allowed`)
}

export interface Place {
  readonly line: number
  readonly column: number
}

/** `place` is where V8 found the error; behind the text means that something is missing at its end. */
export function syntaxError(message: string, source: string, place: Place | null): ScriptError {
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/)
  const last = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  const isBehind = place !== null && place.line > lines.length
  const { line, column } = (isBehind ? last : place) ?? { line: null, column: null }
  // There V8 names a token of the wrapper's, which the author never wrote.
  const told = isBehind ? 'SyntaxError: Unexpected end of input' : message
  return { code: 'SYNTAX', message: told, line, column, stack: null }
}

// What isolated-vm says in place of a thrown value that it does not hand over.
const withheld = 'An object was thrown from supplied code within isolated-vm'

/** A rejection that no handler took. */
export function unhandledRejection({ message, stack }: Error): ScriptError {
  if (message.startsWith(withheld))
    return withoutPlace('RUNTIME', 'Unhandled rejection with a value that is not an `Error`')
  const text = typeof stack === 'string' ? stack : ''
  // Behind the message, which may have lines like frames.
  const frames = text.slice(text.indexOf(message) + message.length)
  const place = /task\.js:(\d+):(\d+)/.exec(frames)
  return {
    code: 'RUNTIME',
    message: `Unhandled rejection: ${message}`.slice(0, 8_192),
    line: place === null ? null : Number(place[1]),
    column: place === null ? null : Number(place[2]),
    stack: null,
  }
}

function withoutPlace(code: ScriptError['code'], message: string): ScriptError {
  return { code, message, line: null, column: null, stack: null }
}
