import { JsonScanner } from '../json/scanner.ts'

// The realm lets 1,000 levels through. Deeper texts can be parsed, but not be written again.
const maxDepth = 1_100

/** The value of a JSON text from a sandbox; undefined for what is no JSON, or deeper than a sandbox of ours would send. */
export function readSandboxJson(text: string): unknown {
  const scanner = new JsonScanner({ maxDepth })
  return scanner.write(Buffer.from(text)) && scanner.end() ? JSON.parse(text) : undefined
}
