import type { DescribedError } from './describe-error.ts'
import type { RealmParts } from './realm-parts.ts'

/** `exit`, `fail` and the end by an error (contract, section 4). Runs inside the isolate as text. */
export function makeEndings({ language, json, errors, state }: RealmParts) {
  const { apply, create, String, Error, TypeError } = language
  const unwinding = create(null)

  // Posted, the run is over: the host disposes the isolate, which this loop sleeps for. Nothing of the script runs again.
  // An isolate that is kept for its account is left by a throw instead, and the host hears nothing more of this run.
  const end = (kind: string, first: string, second = ''): never => {
    if (state.cutEntries > 0) state.post('cut', state.cutEntries, `${state.cutCharacters}`, 'final')
    state.post(kind, first, second)
    if (state.keepsIsolate) throw unwinding
    for (;;) {
      try {
        state.sleep()
      } catch {}
    }
  }

  const endWithError = (code: string, described: DescribedError): never => {
    const text = json.strict(described, message => new Error(message))
    return end('error', code, text)
  }

  /** Ends the run by what the script threw. What V8 says when a buffer finds no memory is the end of the run's memory. */
  const endByThrown = (thrown: unknown): never => {
    const described = errors.describe(thrown)
    const isMemory = described.message === 'RangeError: Array buffer allocation failed'
    return endWithError(isMemory ? 'MEMORY' : 'RUNTIME', described)
  }

  const endWithin = (kind: string, text: string, what: string): never => {
    if (text.length <= state.limits.resultBytes) return end(kind, text)
    const message = `The ${what} has ${text.length} characters; at most ${state.limits.resultBytes} bytes are allowed`
    return endWithError('LIMIT', errors.describe(new Error(message)))
  }

  const describeMessage = (message: unknown): string => {
    if (message === undefined) return ''
    if (language.isError(message)) return String((message as Error).message)
    if (typeof message !== 'object' || message === null) return String(message)
    // A plain object would read `[object Object]`; one that says how it reads is asked.
    const { toString } = message as object
    const hasOwnWords = typeof toString === 'function' && toString !== language.objectToString
    return hasOwnWords ? String(message) : json.lenient(message, String)
  }

  // Called where the stack ends, it is this that overflows, before anything has begun: the script goes back, and may call again
  // from where there is room. As arguments these take 64 KiB of stack, whatever compiler made the caller's frames small.
  const room: number[] = []
  for (let i = 0; i < 8_192; i++) room[i] = 0
  const needRoom = (): unknown => apply(() => undefined, undefined, room)

  return {
    endByThrown,
    exit(payload?: unknown): never {
      needRoom()
      let text: string
      try {
        text = json.strict(payload, message => new TypeError(`${message}; give \`exit\` plain JSON values`))
      } catch (error) {
        const described = errors.describe(error)
        // V8's word for a text past its own limit, which is far past ours.
        const isTooLong = described.message === 'RangeError: Invalid string length'
        return endWithError(isTooLong ? 'LIMIT' : 'RESULT', described)
      }
      return endWithin('exit', text, 'result')
    },
    fail(message?: unknown): never {
      needRoom()
      let text: string
      try {
        text = describeMessage(message)
      } catch (error) {
        return endWithError('RUNTIME', errors.describe(error))
      }
      return endWithin('fail', text, 'message')
    },
  }
}
