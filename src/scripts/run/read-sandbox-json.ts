import { JsonScanner } from '../../json/scanner.ts'

// The realm allows 1,000 levels. Deeper texts can be parsed but not serialized again.
const maxDepth = 1_100

/** True for JSON as an honest sandbox sends it: on one line and not too deep. */
export function isSandboxJson(text: string): boolean {
  if (/[\n\r]/.test(text)) return false
  const scanner = new JsonScanner({ maxDepth })
  return scanner.write(Buffer.from(text)) && scanner.end()
}

/** Parses a JSON text from a sandbox. `undefined` means that no honest sandbox sends it. */
export function readSandboxJson(text: string): unknown {
  return isSandboxJson(text) ? JSON.parse(text) : undefined
}
