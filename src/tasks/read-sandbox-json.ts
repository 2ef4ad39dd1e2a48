// The realm lets 1,000 levels through. Deeper texts can be parsed, but not be written again.
const mostLevels = 1_100

/** The value of a JSON text from a sandbox; undefined for what is no JSON, or deeper than a sandbox of ours would send. */
export function readSandboxJson(text: string): unknown {
  if (isTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Of text that is no JSON this may say anything.
function isTooDeep(text: string): boolean {
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === 0x22) at = endOfString(text, at)
    else if (c === 0x5b || c === 0x7b) levels++
    else if (c === 0x5d || c === 0x7d) levels--
    if (levels > mostLevels) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}
