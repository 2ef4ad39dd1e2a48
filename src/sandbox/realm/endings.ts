import type { RealmParts } from './realm-parts.ts'
import type { DescribedError } from './text/describe-error.ts'

/** Makes `exit`, `fail` and endings by an error (contract, section 4). Runs inside the isolate as text. */
export function makeEndings({ language, json, errors, state }: RealmParts) {
  const { apply, String, Error, TypeError } = language
  // A text, because V8 reports it if the script leaves it unhandled: an object could have getters of the script.
  const unwinding = 'The run has ended'
  let hasEnded = false
  const doNothing = (): void => undefined

  // Posts the ending, and then never returns, so that no more code of the script runs. The host disposes of the isolate
  // during the post, and V8 leaves the script in the loop. An isolate that is reused for its account
  // leaves the script by a throw, and the host ignores the rest of the run.
  const end = (kind: string, first: string, second = ''): never => {
    if (state.cutEntries > 0) state.post('cut', state.cutEntries, `${state.cutCharacters}`, 'final')
    state.post(kind, first, second)
    hasEnded = true
    for (;;) {
      // V8 looks for the disposal at each call, but only sometimes in a loop without one.
      doNothing()
      if (state.reusesIsolate) throw unwinding
    }
  }

  const endWithError = (code: string, described: DescribedError): never => {
    const text = json.strict(described, message => new Error(message))
    return end('error', code, text)
  }

  /**
   * Ends the run with an error that the script threw. V8's message for a failed buffer allocation means `MEMORY`. Does
   * nothing after an ending, whose throw also comes here: the host disposes of an isolate that posts after its end.
   */
  const endByThrown = (thrown: unknown): void => {
    if (hasEnded) return
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
    // Uses the object's own `toString`. The text of others would be `[object Object]`: uses JSON, or what a log shows
    // of an object whose content JSON would drop, such as `[Promise]`.
    const { toString } = message as object
    const hasOwnToString = typeof toString === 'function' && toString !== language.objectToString
    if (hasOwnToString) return String(message)
    return json.markOf(message) || json.lenient(message, String)
  }

  // Uses 64 KiB of stack for arguments before it ends the run. Near the end of the stack it therefore overflows before
  // the ending has begun, and the script can call again with more stack. Sixteen calls of 4 KiB each, because one list
  // of 64 KiB would make each isolate dearer to create.
  const filler: number[] = []
  for (let i = 0; i < 512; i++) filler[i] = 0
  let fillersLeft = 0
  const fillStack = (): void => {
    fillersLeft--
    if (fillersLeft > 0) apply(fillStack, undefined, filler)
  }
  const requireStack = (): void => {
    fillersLeft = 16
    apply(fillStack, undefined, filler)
  }

  return {
    doNothing,
    endByThrown,
    exit(payload?: unknown): never {
      requireStack()
      let text: string
      try {
        text = json.strict(
          payload,
          (message, advice) =>
            new TypeError(
              advice === '' ? `${message}; pass plain JSON values to \`exit\`` : `${message}. ${advice}`,
            ),
          state.exitsData,
        )
      } catch (error) {
        const described = errors.describe(error)
        // True if V8 could not make the text because of its own length limit, which is far beyond the limit of a
        // result.
        const isTooLong = described.message === 'RangeError: Invalid string length'
        return endWithError(isTooLong ? 'LIMIT' : 'RESULT', described)
      }
      return endWithin('exit', text, 'result')
    },
    fail(message?: unknown): never {
      requireStack()
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
