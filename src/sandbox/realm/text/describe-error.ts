import type { Language } from '../language.ts'

/** The description of a thrown value. Positions refer to the author's source code. */
export interface DescribedError {
  message: string
  line: number | null
  column: number | null
  stack: string | null
}

/**
 * Describes a thrown value as text of limited length. It runs inside the isolate and under its time limit, because
 * reading `message` or `stack` of a hostile value may run the script's code. It also limits every error's stack to the
 * script's frames.
 */
export function makeDescribeError(language: Language) {
  const { create, isError, String, slice, indexOf, lastIndexOf, stringify, WeakMap, getFrom, setIn } =
    language
  const shownFile = 'task.js'
  // The secret file name of the script's source. The name `task.js` would not do, because code made by `eval` can use
  // it.
  let file = ''
  // Number of lines that `AsyncFunction` adds before the source.
  const linesBefore = 2
  const maxLength = 8_192
  const maxNameLength = 200

  // Never ends with half a character.
  const cut = (text: string, max: number): string => {
    if (text.length <= max) return text
    const last = text[max - 1] as string
    return slice(text, 0, last >= '\ud800' && last <= '\udbff' ? max - 1 : max)
  }
  const cap = (text: string): string =>
    text.length <= maxLength ? text : `${cut(text, maxLength)}\u2026 (${text.length} characters in all)`

  interface CallSite {
    getScriptNameOrSourceURL(): string | null
    getFunctionName(): string | null
    getLineNumber(): number | null
    getColumnNumber(): number | null
    isAsync(): boolean
  }

  const lineBreaks = ['\n', '\r', '\u2028', '\u2029']
  // A computed name may hold anything. Line breaks in it would let it pass for a frame.
  const isOnOneLine = (name: string): boolean => {
    for (let i = 0; i < lineBreaks.length; i++) if (indexOf(name, lineBreaks[i] as string) >= 0) return false
    return true
  }

  const frame = (site: CallSite): string => {
    if (site.getScriptNameOrSourceURL() !== file) return ''
    const line = (site.getLineNumber() ?? 0) - linesBefore
    // V8 places what it does for a class, such as a call of a static block, at the last expression before it.
    // Without one, the place is the start of the function around the script.
    if (line < 1) return ''
    const called = site.getFunctionName()
    const name = called === null ? null : cut(called, maxNameLength)
    const position = `${shownFile}:${line}:${site.getColumnNumber() ?? 0}`
    const isTop = name === null || name === 'eval' || name === 'anonymous' || !isOnOneLine(name)
    return `\n    at ${site.isAsync() ? 'async ' : ''}${isTop ? position : `${name} (${position})`}`
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

  // The stack frames of an error. They are stored without the message, which may contain lines that look like frames.
  const framesOf = new WeakMap<object, string>()

  const prepareStackTrace = (error: object, sites: CallSite[]): string => {
    let frames = ''
    for (let i = 0; i < sites.length && frames.length < maxLength; i++) frames += frame(sites[i] as CallSite)
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

  // The place ends the line of the first frame, after a function's name that may contain another one.
  const locate = (described: DescribedError, stack: string): void => {
    const end = indexOf(stack, '\n', 1)
    const first = end < 0 ? stack : slice(stack, 0, end)
    const line = lastIndexOf(first, `${shownFile}:`) + shownFile.length + 1
    const column = indexOf(first, ':', line) + 1
    described.line = number(first, line)
    described.column = number(first, column)
  }

  const withoutPosition = (message: string): DescribedError => {
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
      return withoutPosition(isObject ? (stringify(thrown) ?? 'undefined') : String(thrown))
    }
    const described = withoutPosition(header(thrown))
    // Reads `stack`, because V8 prepares the frames only at the first read.
    void (thrown as Error).stack
    const frames = getFrom(framesOf, thrown as object) as string | undefined
    if (frames === undefined || frames === '') return described
    described.stack = described.message + cut(frames, maxLength)
    locate(described, frames)
    return described
  }

  const describe = (thrown: unknown): DescribedError => {
    try {
      return read(thrown)
    } catch {
      return withoutPosition('A value was thrown that cannot be described')
    }
  }

  return {
    prepareStackTrace,
    describe,
    /** Sets the secret file name. Call it before the script is compiled. */
    setSourceFile(name: string): void {
      file = name
    },
  }
}
