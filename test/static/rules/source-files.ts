import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface SourceFile {
  /** Below `src/`, with slashes. */
  readonly path: string
  /** Without what is comment alone, so that a rule may be spoken of. */
  readonly code: string
}

/** Everything that runs: all modules of `src/`. */
export const sourceFiles: readonly SourceFile[] = globSync('**/*.{ts,js,mjs,cjs}', { cwd: `${root}src` })
  .map(path => path.replaceAll('\\', '/'))
  .sort()
  .map(path => ({ path, code: withoutComments(readFileSync(`${root}src/${path}`, 'utf8')) }))

function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '').replace(/^\s*\/\/.*$/gm, '')
}

/** The arguments of each call of a function that the pattern names, as they are written. */
export function argumentsOf(code: string, callee: RegExp): string[] {
  return [...code.matchAll(new RegExp(`${callee.source}\\s*\\(`, 'g'))].map(match =>
    upToClosing(code, match.index + match[0].length),
  )
}

function upToClosing(code: string, start: number): string {
  let depth = 1
  for (let at = start; at < code.length; at++) {
    if (code[at] === '(') depth++
    if (code[at] === ')') depth--
    if (depth === 0) return code.slice(start, at)
  }
  return code.slice(start)
}
