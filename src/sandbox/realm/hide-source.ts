import type { Language } from './language.ts'

/**
 * Keeps one function's text to itself: `Function.prototype.toString` says of it what it says of a native function. The script is
 * handed itself as `arguments.callee`, and its text ends with the secret name of its frames. Runs inside the isolate as text.
 */
export function makeHideSource({ apply, define }: Language) {
  const { prototype } = Function
  const textOf = prototype.toString
  let hidden: unknown

  // As a method it has no `prototype` and cannot be constructed, like the native one.
  const { toString } = {
    toString(this: unknown): string {
      if (this === hidden) return 'async function () { [native code] }'
      return apply(textOf, this === toString ? textOf : this, [])
    },
  }

  return {
    /** Called for each realm before its script is compiled. */
    place(): void {
      define(prototype, 'toString', {
        value: toString,
        writable: true,
        enumerable: false,
        configurable: true,
      })
    },
    hide(script: unknown): void {
      hidden = script
    },
  }
}
