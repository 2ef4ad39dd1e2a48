import type { Language } from './language.ts'

/** What is known of a thrown value; positions are those of the author's own text. */
export interface DescribedError {
  message: string
  line: number | null
  column: number | null
  stack: string | null
}

/**
 * Turns whatever was thrown into capped text, inside the realm and inside a timed call: reading `message` or `stack` of a
 * hostile value may run the script's code. Also gives every error a stack of the script's own frames.
 */
export function makeDescribeError(language: Language) {
  const { create, isError, String, slice, indexOf, stringify, WeakMap, getFrom, setIn } = language
  const shownFile = 'task.js'
  // The script's own source goes by a name of its run's own: `task.js` is what anybody may call a text of code.
  let file = ''
  // `AsyncFunction` puts two lines before the author's first.
  const linesBefore = 2
  const longest = 8_192
  const longestName = 200

  const cap = (text: string): string =>
    text.length <= longest ? text : `${slice(text, 0, longest)}… (${text.length} characters in all)`

  interface CallSite {
    getScriptNameOrSourceURL(): string | null
    getFunctionName(): string | null
    getLineNumber(): number | null
    getColumnNumber(): number | null
    isAsync(): boolean
  }

  const frame = (site: CallSite): string => {
    if (site.getScriptNameOrSourceURL() !== file) return ''
    const called = site.getFunctionName()
    const name = called === null ? null : slice(called, 0, longestName)
    const place = `${shownFile}:${(site.getLineNumber() ?? 0) - linesBefore}:${site.getColumnNumber() ?? 0}`
    const isTop = name === null || name === 'eval' || name === 'anonymous'
    return `\n    at ${site.isAsync() ? 'async ' : ''}${isTop ? place : `${name} (${place})`}`
  }

  const header = (error: unknown): string => {
    try {
      const { name, message } = error as { name: unknown; message: unknown }
      const title = name === undefined ? 'Error' : String(name)
      const text = message === undefined ? '' : String(message)
      return text === '' ? title : title === '' ? text : `${title}: ${text}`
    } catch {
      return 'Error'
    }
  }

  // The frames alone, apart from a message that may have lines like theirs.
  const framesOf = new WeakMap<object, string>()

  const prepareStackTrace = (error: object, sites: CallSite[]): string => {
    let frames = ''
    for (let i = 0; i < sites.length && frames.length < longest; i++) frames += frame(sites[i] as CallSite)
    setIn(framesOf, error, frames)
    return cap(header(error)) + frames
  }

  const number = (text: string, from: number): number => {
    let value = 0
    for (let i = from; i < text.length; i++) {
      const digit = indexOf('0123456789', text[i] as string)
      if (digit < 0) break
      value = value * 10 + digit
    }
    return value
  }

  const locate = (described: DescribedError, stack: string): void => {
    const at = indexOf(stack, `${shownFile}:`)
    if (at < 0) return
    const line = at + shownFile.length + 1
    const column = indexOf(stack, ':', line) + 1
    described.line = number(stack, line)
    described.column = number(stack, column)
  }

  const withoutPlace = (message: string): DescribedError => {
    const described = create(null) as unknown as DescribedError
    described.message = cap(message)
    described.line = null
    described.column = null
    described.stack = null
    return described
  }

  const read = (thrown: unknown): DescribedError => {
    if (!isError(thrown)) {
      const isObject = typeof thrown === 'object' && thrown !== null
      return withoutPlace(isObject ? (stringify(thrown) ?? 'undefined') : String(thrown))
    }
    const described = withoutPlace(header(thrown))
    // V8 prepares the frames when they are first asked for.
    void (thrown as Error).stack
    const frames = getFrom(framesOf, thrown as object) as string | undefined
    if (frames === undefined || frames === '') return described
    described.stack = described.message + slice(frames, 0, longest)
    locate(described, frames)
    return described
  }

  const describe = (thrown: unknown): DescribedError => {
    try {
      return read(thrown)
    } catch {
      return withoutPlace('A value was thrown that cannot be described')
    }
  }

  return {
    prepareStackTrace,
    describe,
    /** Called before the script is compiled, with the name that its frames will bear. */
    readFramesOf(name: string): void {
      file = name
    },
  }
}
