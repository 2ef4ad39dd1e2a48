import { createTwoFilesPatch } from 'diff'
import { showControls, type Terminal } from '../frame/terminal.ts'
import { pathOfKey } from './function-files.ts'
import type { Push } from './plan-push.ts'

/** Writes what a push changes, as a unified diff. */
export function showDiff({ file, replaces }: Push, liveSource: string, { style, write }: Terminal): void {
  const path = pathOfKey(file.key)
  const from = replaces === null ? '/dev/null' : `a/${path}`
  const patch = createTwoFilesPatch(from, `b/${path}`, liveSource, file.source)
  const lines = showControls(patch, true).split('\n')
  const shown = lines.filter(line => !/^={5,}$/.test(line)).map(line => style(formatOf(line), line))
  write(shown.join('\n'))
}

function formatOf(line: string) {
  if (/^(?:---|\+\+\+) /.test(line)) return 'bold'
  if (line.startsWith('@@')) return 'cyan'
  if (line.startsWith('+')) return 'green'
  return line.startsWith('-') ? 'red' : 'reset'
}
