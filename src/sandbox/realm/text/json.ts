import type { Language } from '../language.ts'
import type { makeIsPlain } from './is-plain.ts'
import type { makeLossyKinds } from './lossy-kinds.ts'

/** Called for a value that JSON cannot represent. Returns a replacement, or throws to refuse the value. */
type OnOdd = (kind: string, path: string, value: unknown) => unknown

/** Returns the error for a value that JSON cannot represent. `advice` is a sentence, or ''. */
type Refuse = (message: string, advice: string) => unknown

/**
 * Serializes values and detects what JSON cannot represent: functions, symbols, BigInts, cycles, too many levels, and
 * objects whose content it would drop. Runs inside the isolate as text.
 */
export function makeJson(
  language: Language,
  lossy: ReturnType<typeof makeLossyKinds>,
  { isPlain, maxDepth }: ReturnType<typeof makeIsPlain>,
) {
  const { create, stringify, isArray, isError, isBoxedBigInt, isBoxedNumber, String, TypeError } = language

  // Serializes a plain value, and returns null for others. With a replacer, as below, V8 takes several times as long,
  // because it calls it for each value. Getters are read once more. One of them may just have added a `toJSON` that
  // returns undefined, and then there is no text.
  const writePlain = (root: unknown, mustBeFinite: boolean): string | null => {
    try {
      return isPlain(root, mustBeFinite) ? (stringify(root) ?? null) : null
    } catch {
      return null
    }
  }

  const isWord = (key: string): boolean => {
    for (let i = 0; i < key.length; i++) {
      const c = key[i] as string
      const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c === '_' || c === '$'
      if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false
    }
    return key.length > 0 && key.length < 100
  }

  const step = (parent: unknown, key: string): string => {
    if (isArray(parent)) return `[${key}]`
    return isWord(key) ? `.${key}` : `[${stringify(key)}]`
  }

  // Serializes a value. JSON.stringify calls the replacer depth first with the parent as `this`, so a stack of parents
  // is the path.
  const write = (root: unknown, onOdd: OnOdd, mustBeFinite = false): string => {
    if (typeof root === 'string') return stringify(root)
    const text = writePlain(root, mustBeFinite)
    if (text !== null) return text
    const parents = create(null) as Record<number, unknown>
    const keys = create(null) as Record<number, string>
    let depth = 0

    const path = (key: string): string => {
      if (depth === 0) return '$'
      let text = '$'
      for (let i = 1; i < depth; i++) text += step(parents[i - 1], keys[i] as string)
      return text + step(parents[depth - 1], key)
    }
    const isAbove = (value: unknown): boolean => {
      for (let i = 0; i < depth; i++) if (parents[i] === value) return true
      return false
    }
    // Returns the reason why JSON cannot represent an object, or ''.
    const oddityOfObject = (value: object): string => {
      if (isAbove(value)) return 'cycle'
      if (depth >= maxDepth) return 'depth'
      if (isBoxedBigInt(value)) return 'bigint'
      return isError(value) ? 'error' : lossy.kindOf(value)
    }
    const oddity = (value: unknown): string => {
      if (typeof value === 'object' && value !== null) return oddityOfObject(value)
      if (typeof value === 'number' && mustBeFinite && value - value !== 0) return 'infinite'
      return oddTypes[typeof value] ?? ''
    }
    const judge = (key: string, given: unknown): unknown => {
      // JSON writes the number that an object of `Number` holds.
      const value = mustBeFinite && isBoxedNumber(given) ? +(given as number) : given
      const kind = oddity(value)
      return kind === '' ? value : onOdd(kind, path(key), value)
    }
    const replace = function (this: unknown, key: string, value: unknown): unknown {
      while (depth > 0 && parents[depth - 1] !== this) depth--
      const judged = judge(key, value)
      if (typeof judged === 'object' && judged !== null) {
        parents[depth] = judged
        keys[depth] = key
        depth++
      }
      return judged
    }
    return stringify(root, replace) ?? 'null'
  }

  const oddTypes = create(null) as Record<string, string | undefined>
  oddTypes.function = 'function'
  oddTypes.symbol = 'symbol'
  oddTypes.bigint = 'bigint'
  const names = create(null) as Record<string, string | undefined>
  names.function = 'a function'
  names.symbol = 'a symbol'
  names.bigint = 'a BigInt'
  names.cycle = 'a cycle'
  names.infinite = 'an infinite number or NaN'
  names.depth = `more than ${maxDepth} levels`
  const marks = create(null) as Record<string, string | undefined>
  marks.function = '[function]'
  marks.cycle = '[circular]'
  marks.depth = '[too deep]'

  /**
   * Serializes a value. Throws the error that `refuse` makes if JSON cannot represent it. Error objects are treated
   * like other objects. Infinite numbers and NaN become null, or are refused if `mustBeFinite`.
   */
  const strict = (value: unknown, refuse: Refuse, mustBeFinite = false): string => {
    const onOdd: OnOdd = (kind, path, odd) => {
      if (kind === 'error') return odd
      const name = names[kind] ?? lossy.nameOf(kind)
      throw refuse(`JSON cannot carry ${name}, at \`${path}\``, lossy.adviceOf(kind))
    }
    return write(value, onOdd, mustBeFinite)
  }

  return {
    strict,
    /**
     * Serializes what a call sends, like `strict`; `where` names it. V8 keeps ten frames of a stack, and serialization
     * alone takes most of them. So the error is created here, where the script's line is among them. An error that the
     * script's own code throws stays as it is.
     */
    sent(value: unknown, where: string, mustBeFinite = false): string {
      let refusal = ''
      const refuse: Refuse = (message, advice) => {
        refusal = `${message}, in ${where}${advice === '' ? '' : `. ${advice}`}`
        return refusal
      }
      try {
        return strict(value, refuse, mustBeFinite)
      } catch (error) {
        throw refusal === '' ? error : new TypeError(refusal)
      }
    },
    /** Returns the text that stands for an object whose content JSON would drop, or '' for another one. */
    markOf(value: object): string {
      const kind = lossy.kindOf(value)
      return kind === '' ? '' : lossy.markOf(kind, value)
    },
    /** Serializes a value, and replaces what JSON cannot represent by a description. */
    lenient(value: unknown, describe: (error: unknown) => unknown): string {
      return write(value, (kind, _path, odd) => {
        if (kind === 'bigint') return `${String(odd)}n`
        if (kind === 'symbol') return String(odd)
        return kind === 'error' ? describe(odd) : (marks[kind] ?? lossy.markOf(kind, odd as object))
      })
    },
  }
}
