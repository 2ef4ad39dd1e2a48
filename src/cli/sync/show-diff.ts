import { createTwoFilesPatch } from 'diff'
import { showControls } from '../../show-controls.ts'
import type { Terminal } from '../frame/terminal.ts'
import { pathOfKey } from './function-files.ts'
import type { Push } from './plan-push.ts'

// The time for a diff grows with the square of the changed lines: with as many as this, about 0.5 s.
const maxEditLength = 1_000

/** Writes what a push changes, as a unified diff. With very many changed lines, every line is shown as replaced. */
export function showDiff({ file, replaces }: Push, liveSource: string, terminal: Terminal): void {
  const { hasReader, style, write } = terminal
  const path = pathOfKey(file.key)
  const from = replaces === null ? '/dev/null' : `a/${path}`
  const options = { maxEditLength }
  const patch =
    createTwoFilesPatch(from, `b/${path}`, liveSource, file.source, undefined, undefined, options) ??
    `--- ${from}\n+++ b/${path}\n${replaceAllLines(liveSource, file.source)}`
  // `patch` needs the line ends as they are. A person could not see them.
  const parts = hasReader ? [patch] : patch.split('\r\n')
  const lines = parts
    .map(part => showControls(part, true))
    .join('\r\n')
    .split('\n')
  const shown = lines.filter(line => !/^={5,}$/.test(line)).map(line => style(formatOf(line), line))
  write(shown.join('\n'))
}

function replaceAllLines(before: string, after: string): string {
  const [removed, added] = [splitLines(before), splitLines(after)]
  const range = ({ length }: readonly string[]) => `${length === 0 ? 0 : 1},${length}`
  const mark = (sign: string, lines: readonly string[]) => lines.map(line => markLine(sign, line)).join('')
  return `@@ -${range(removed)} +${range(added)} @@\n${mark('-', removed)}${mark('+', added)}`
}

// Each line with its newline.
const splitLines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const markLine = (sign: string, line: string): string =>
  line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`

function formatOf(line: string) {
  if (/^(?:---|\+\+\+) /.test(line)) return 'bold'
  if (line.startsWith('@@')) return 'cyan'
  if (line.startsWith('+')) return 'green'
  return line.startsWith('-') ? 'red' : 'reset'
}
