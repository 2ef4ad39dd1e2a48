import { JsonScanner } from '../../json/scanner.ts'

// The realm lets 1,000 levels through. Deeper texts can be parsed, but not be written again.
const maxDepth = 1_100

/** True for a JSON text as a sandbox of ours sends it: on one line, and not too deep. */
export function isSandboxJson(text: string): boolean {
  if (/[\n\r]/.test(text)) return false
  const scanner = new JsonScanner({ maxDepth })
  return scanner.write(Buffer.from(text)) && scanner.end()
}

/** The value of a JSON text from a sandbox; undefined for what a sandbox of ours would not send. */
export function readSandboxJson(text: string): unknown {
  return isSandboxJson(text) ? JSON.parse(text) : undefined
}
