import type { Position } from './script-errors.ts'

export interface CompileError extends Position {
  readonly message: string
}

/** Compiles the script after one line and before another. Returns the error, with its position in the script. */
export type CompileBetween = (before: string, after: string) => CompileError | null

// Each text opens a block in the middle of a statement. If the script closes that block, V8 reports this message at the
// brace, because the rest of the statement is missing. A script that goes on with `catch` or `finally` completes the
// first statement, and one that goes on with a comma or a parenthesis the second, but none completes both.
const openings = [
  ['(async function () { try {', 'Missing catch or finally after try'],
  ['(function () { call(async () => {', 'missing ) after argument list'],
] as const

/**
 * Returns the position of a `}` that closes the function around the script; null if there is none. `error` is that of
 * the script in its function: V8 reports it where the text after the brace makes no sense.
 */
export function findSurplusBrace(compile: CompileBetween, error: CompileError | null): Position | null {
  for (const [opening, message] of openings) {
    const found = compile(opening, '')
    // The script may contain the same mistake in a statement of its own, which is then the error of both.
    if (found?.message !== message) continue
    // V8 reports the line before the script if what follows the brace makes that line part of a pattern.
    if (error === null || error.line < 1 || isBefore(found, error)) return found
  }
  return null
}

function isBefore(first: Position, second: Position): boolean {
  return first.line < second.line || (first.line === second.line && first.column < second.column)
}
