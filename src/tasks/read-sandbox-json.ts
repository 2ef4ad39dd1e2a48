import { isNestedDeeper } from '../is-nested-deeper.ts'

// The realm lets 1,000 levels through. Deeper texts can be parsed, but not be written again.
const mostLevels = 1_100

/** The value of a JSON text from a sandbox; undefined for what is no JSON, or deeper than a sandbox of ours would send. */
export function readSandboxJson(text: string): unknown {
  if (isNestedDeeper(text, mostLevels)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
