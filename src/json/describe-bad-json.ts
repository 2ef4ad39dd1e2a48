const lineBreak = 0x0a

/**
 * Returns the part of a message that says where a UTF-8 text stops being JSON: after its first `bytesBefore` bytes. The
 * position counts characters from 0, line and column from 1.
 */
export function describeBadJson(bytes: Buffer, bytesBefore: number): string {
  let line = 1
  let lineStart = 0
  for (let at = 0; at < bytesBefore; at++) {
    if (bytes[at] !== lineBreak) continue
    line++
    lineStart = at + 1
  }
  const position = bytes.toString('utf8', 0, bytesBefore).length
  const column = bytes.toString('utf8', lineStart, bytesBefore).length + 1
  return `is not valid JSON at position ${position} (line ${line}, column ${column})`
}
