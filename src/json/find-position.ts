/** A position in a text: `position` counts characters from 0, line and column from 1. */
export interface TextPosition {
  readonly position: number
  readonly line: number
  readonly column: number
}

const lineBreak = 0x0a

/** Returns the position after the first `bytesBefore` bytes of a UTF-8 text. */
export function findPosition(bytes: Buffer, bytesBefore: number): TextPosition {
  let line = 1
  let lineStart = 0
  for (let at = 0; at < bytesBefore; at++) {
    if (bytes[at] !== lineBreak) continue
    line++
    lineStart = at + 1
  }
  const position = bytes.toString('utf8', 0, bytesBefore).length
  return { position, line, column: bytes.toString('utf8', lineStart, bytesBefore).length + 1 }
}
