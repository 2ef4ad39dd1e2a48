/** Formats rows of cells as lines with aligned columns, and shows controls. The first row is the heading. */
export function formatTable(given: readonly (readonly string[])[]): string {
  const rows = given.map(row => row.map(cell => showControls(cell)))
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  )
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return lines.map(line => `${line.trimEnd()}\n`).join('')
}

/**
 * Shows control characters, and marks of the writing direction, which could change what a terminal shows, as escapes.
 * Tabs stay, and lines if asked.
 */
export function showControls(text: string, keepLines = false): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, character => {
    if (character === '\t' || (keepLines && character === '\n')) return character
    if (character === '\n') return '\\n'
    return escapeCharacter(character)
  })
}

/** Shows those of them that JSON leaves as they are, as escapes. */
export function showControlsOfJson(text: string): string {
  return text.replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeCharacter)
}

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
