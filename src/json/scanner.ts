import { actionOf, classOf, isPlain, mayEndIn, stateOf, transitions } from './grammar.ts'

export interface ScanLimits {
  readonly maxDepth?: number
  /** Items and fields at any depth. */
  readonly maxValues?: number
  /** Fields of the outermost object. */
  readonly maxMembers?: number
}

/** What ended a scan: `syntax` for what is no JSON, else the limit that was passed. */
export type ScanFault = 'syntax' | 'depth' | 'values'

/** Told of keys and of members of the outermost object, by places in the bytes; all must then be written at once. */
export interface ScanListener {
  onKey?(start: number, end: number): void
  onMember?(member: MemberPlace): void
}

export interface MemberPlace {
  /** Of the key's text, without its quotes. */
  readonly keyStart: number
  readonly keyEnd: number
  /** Of the value, with white space around it. */
  readonly valueStart: number
  readonly valueEnd: number
  /** Items and fields inside the value, itself included. */
  readonly values: number
}

const defaultMaxDepth = 10_000
const unlimited = Number.POSITIVE_INFINITY
const objectMark = 1
const arrayMark = 2
const firstAction = actionOf.fail

/**
 * Tells JSON (RFC 8259) from what is none, byte by byte as it comes, and counts its values. `JSON.parse` makes 21 bytes of one,
 * and holds everyone up for as long as that takes: a third of a second for 2 MiB of brackets.
 */
export class JsonScanner {
  readonly #maxDepth: number
  readonly #maxValues: number
  readonly #maxMembers: number
  readonly #listener: ScanListener
  #state = stateOf.value
  #fault: ScanFault | null = null
  /** Bytes before those that are being read. */
  #before = 0
  #position = 0
  /** The kind of each array or object that is open. */
  #open = new Uint8Array(64)
  #depth = 0
  #values = 1
  #isKey = false
  #keyStart = 0
  #memberKeyStart = 0
  #memberKeyEnd = 0
  #memberValues = 0
  #members = 0

  constructor(limits: ScanLimits = {}, listener: ScanListener = {}) {
    const { maxDepth = defaultMaxDepth, maxValues = unlimited, maxMembers = unlimited } = limits
    this.#maxDepth = maxDepth
    this.#maxValues = maxValues
    this.#maxMembers = maxMembers
    this.#listener = listener
  }

  get fault(): ScanFault | null {
    return this.#fault
  }

  /** Bytes up to where the scan ended, or came. */
  get position(): number {
    return this.#position
  }

  get values(): number {
    return this.#values
  }

  /** False as soon as it is no JSON, or passes a limit, whatever may follow. */
  write(bytes: Uint8Array): boolean {
    if (this.#fault !== null) return false
    let state = this.#state
    for (let at = 0; at < bytes.length; at++) {
      // Most bytes are of texts.
      if (state === stateOf.text) while (isPlain[bytes[at] as number] === 1) at++
      if (at >= bytes.length) break
      const next = transitions[(state << 5) | (classOf[bytes[at] as number] as number)] as number
      state = next < firstAction ? next : this.#act(next, at)
      if (this.#fault !== null) {
        this.#position = this.#before + at
        return false
      }
    }
    this.#state = state
    this.#before += bytes.length
    this.#position = this.#before
    return true
  }

  /** True if what was written is one whole JSON text. */
  end(): boolean {
    if (this.#fault === null && !(this.#depth === 0 && mayEndIn(this.#state))) this.#fault = 'syntax'
    return this.#fault === null
  }

  /** Does what there is to do at a byte, and gives the state after it. */
  #act(action: number, at: number): number {
    switch (action) {
      case actionOf.comma:
        return this.#nextPart(at)
      case actionOf.endText:
        return this.#endText(at)
      case actionOf.beginKey:
        this.#isKey = true
        this.#keyStart = at + 1
        return stateOf.text
      case actionOf.openObject:
        return this.#enter(objectMark, stateOf.firstKey)
      case actionOf.openArray:
        return this.#enter(arrayMark, stateOf.firstElement)
      case actionOf.closeEmpty:
        this.#values--
        this.#depth--
        return stateOf.afterValue
      case actionOf.closeObject:
        return this.#leave(objectMark, at)
      case actionOf.closeArray:
        return this.#leave(arrayMark, at)
      default:
        return this.#fail('syntax')
    }
  }

  #fail(fault: ScanFault): number {
    this.#fault = fault
    return stateOf.value
  }

  // What is opened counts for its first part, unless it proves to be empty.
  #enter(mark: number, next: number): number {
    if (this.#depth === this.#maxDepth) return this.#fail('depth')
    if (this.#depth === this.#open.length) {
      const larger = new Uint8Array(2 * this.#depth)
      larger.set(this.#open)
      this.#open = larger
    }
    this.#open[this.#depth++] = mark
    return this.#count(next)
  }

  #count(next: number): number {
    return ++this.#values > this.#maxValues ? this.#fail('values') : next
  }

  #nextPart(at: number): number {
    if (this.#depth === 0) return this.#fail('syntax')
    const isObject = this.#open[this.#depth - 1] === objectMark
    if (isObject && this.#depth === 1) {
      this.#endMember(at)
      if (++this.#members > this.#maxMembers) return this.#fail('values')
    }
    return this.#count(isObject ? stateOf.key : stateOf.value)
  }

  #leave(mark: number, at: number): number {
    if (this.#depth === 0 || this.#open[this.#depth - 1] !== mark) return this.#fail('syntax')
    if (mark === objectMark && this.#depth === 1) this.#endMember(at)
    this.#depth--
    return stateOf.afterValue
  }

  #endText(at: number): number {
    if (!this.#isKey) return stateOf.afterValue
    this.#isKey = false
    this.#listener.onKey?.(this.#keyStart, at)
    if (this.#depth === 1) {
      this.#memberKeyStart = this.#keyStart
      this.#memberKeyEnd = at
      this.#memberValues = this.#values
    }
    return stateOf.colon
  }

  // Between a key and its value there is nothing but white space and the colon, which is at the value's start here.
  #endMember(at: number): void {
    this.#listener.onMember?.({
      keyStart: this.#memberKeyStart,
      keyEnd: this.#memberKeyEnd,
      valueStart: this.#memberKeyEnd + 1,
      valueEnd: at,
      values: this.#values - this.#memberValues + 1,
    })
  }
}
