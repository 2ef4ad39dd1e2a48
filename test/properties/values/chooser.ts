import fc from 'fast-check'

/** Choices of a generator that is a plain function; the first option is what a failing case shrinks to. */
export interface Chooser {
  pick<T>(options: readonly [T, ...T[]]): T
  pick<T>(options: readonly T[]): T | undefined
  /** From 0 to `most`. */
  upTo(most: number): number
  /** True once in `times` on average. */
  oneIn(times: number): boolean
}

/** Makes choices from a tape of bytes; past its end every choice is the first, so that what is made comes to an end. */
function createChooser(tape: Uint8Array): Chooser {
  let at = 0
  const next = () => tape[at++] ?? 0
  return {
    pick: <T>(options: readonly T[]) => options[next() % options.length] as T,
    upTo: most => next() % (most + 1),
    oneIn: times => next() % times === times - 1,
  }
}

/** An arbitrary from a function that makes its value by choosing. */
export function chosen<T>(make: (chooser: Chooser) => T): fc.Arbitrary<T> {
  const tape = fc.uint8Array({ minLength: 10, maxLength: 250, size: 'max' })
  return tape.map(bytes => make(createChooser(bytes)))
}
