const around = 3
const maxCharacters = 160

interface SourcePlace {
  readonly line: number
  readonly column: number
}

/** Prints the lines around a place of a source, with their numbers, and marks the place. */
export function printAround(source: string, { line, column }: SourcePlace): string {
  const lines = source.split('\n')
  const first = Math.max(1, line - around)
  const last = Math.min(lines.length, line + around)
  const digits = String(last).length
  // A long line is shown around the place.
  const from = column > maxCharacters - 20 ? column - maxCharacters / 2 : 0
  const printed: string[] = []
  for (let number = first; number <= last; number++) {
    const text = (lines[number - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' ')
    const mark = number === line ? '>' : ' '
    printed.push(`${mark} ${String(number).padStart(digits)} | ${text.slice(from, from + maxCharacters)}`)
    if (number === line) printed.push(`  ${' '.repeat(digits)} | ${' '.repeat(column - 1 - from)}^`)
  }
  return printed.join('\n')
}
