import type { Language } from './language.ts'

/**
 * Hides the source of the script's function: `Function.prototype.toString` describes it like a native function. A
 * script can reach its function as `arguments.callee`, and the source ends with the secret file name. Runs inside the
 * isolate as text.
 */
export function makeHideSource({ apply, define }: Language) {
  const { prototype } = Function
  const textOf = prototype.toString
  let hidden: unknown

  // Defined as a method, which has no `prototype` and is no constructor, like the native function.
  const { toString } = {
    toString(this: unknown): string {
      if (this === hidden) return 'async function () { [native code] }'
      return apply(textOf, this === toString ? textOf : this, [])
    },
  }

  return {
    /** Installs the replacement in a realm. Call it before the script is compiled. */
    install(): void {
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
