import { showControls } from '../show-controls.ts'

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
