/** True for a JSON text of more levels than `most`, without reading it: deep texts cost those who do. No JSON may get either answer. */
export function isNestedDeeper(text: string, most: number): boolean {
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === 0x22) at = endOfString(text, at)
    else if (c === 0x5b || c === 0x7b) levels++
    else if (c === 0x5d || c === 0x7d) levels--
    if (levels > most) return true
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
