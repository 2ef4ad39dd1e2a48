import type { RealmParts } from './realm-parts.ts'

/**
 * Makes `log` and `console`. They never throw. Entries past the limits are only counted. Runs inside the isolate as
 * text.
 */
export function makeLog({ language, json, errors, state }: RealmParts) {
  const { create, shield } = language
  let entries = 0
  let characters = 0

  const describe = (error: unknown): unknown => {
    const { message, stack } = errors.describe(error)
    return stack ?? message
  }

  const describeValue = (value: unknown): string => {
    try {
      return json.lenient(value, describe)
    } catch (error) {
      return json.lenient(`[cannot be logged: ${errors.describe(error).message}]`, describe)
    }
  }

  // Counts a dropped entry. Posts the count from time to time, for runs that end without posting anything else.
  const cut = (length: number): void => {
    state.cutEntries++
    state.cutCharacters += length
    const isPowerOfTwo = (state.cutEntries & (state.cutEntries - 1)) === 0
    if (isPowerOfTwo) state.post('cut', state.cutEntries, `${state.cutCharacters}`)
  }

  const write = (level: string, data: unknown[]): void => {
    let text = '['
    for (let i = 0; i < data.length; i++) text += (i === 0 ? '' : ',') + describeValue(data[i])
    text += ']'
    if (entries >= state.limits.logEntries || characters + text.length > state.limits.logBytes)
      return cut(text.length)
    entries++
    characters += text.length
    state.post('log', level, text)
  }

  const console = create(null)
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) {
    const level = name === 'log' ? 'info' : name
    console[name] = (...data: unknown[]): void => write(level, data)
  }

  return {
    console: shield(console),
    log(...data: unknown[]): void {
      write('info', data)
    },
  }
}
