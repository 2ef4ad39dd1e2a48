import { expect, test } from 'vitest'
import type { Terminal } from '../../../src/cli/frame/terminal.ts'
import { showDiff } from '../../../src/cli/sync/show-diff.ts'

function shownTo(reader: Pick<Terminal, 'hasReader'>, before: string, source: string): string {
  let shown = ''
  const write = (text: string) => {
    shown += text
  }
  const terminal = { ...reader, write, style: (_: unknown, text: string) => text } as Terminal
  showDiff({ file: { key: 'a', source, hash: '' }, replaces: '' }, before, terminal)
  return shown
}

test('a person sees the end of a line with CR LF as an escape, and a pipe gets it as it is', () => {
  const [before, after] = ['a\n', 'a\r\n']
  expect(shownTo({ hasReader: true }, before, after)).toContain('\n-a\n+a\\u000d\n')
  expect(shownTo({ hasReader: false }, before, after)).toContain('\n-a\n+a\r\n')
})

test.each([true, false])('other control characters are escapes (a person reads it: %s)', hasReader => {
  expect(shownTo({ hasReader }, 'a\n', 'a\rb\u001b[2J\n')).toContain('+a\\u000db\\u001b[2J\n')
})
