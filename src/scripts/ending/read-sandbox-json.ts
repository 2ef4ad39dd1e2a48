import { parseText } from '../../json/parse-json.ts'
import { JsonScanner } from '../../json/scanner.ts'
import { maxDepth } from '../protocol.ts'

/** True for JSON as an honest sandbox sends it: on one line and not too deep. */
export function isSandboxJson(text: string): boolean {
  if (/[\n\r]/.test(text)) return false
  const scanner = new JsonScanner({ maxDepth })
  return scanner.write(Buffer.from(text)) && scanner.end()
}

/** Parses a JSON text from a sandbox. Returns `undefined` for a text that no honest sandbox sends. */
export function readSandboxJson(text: string): unknown {
  return isSandboxJson(text) ? parseText(text) : undefined
}
