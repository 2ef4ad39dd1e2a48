import { pino } from 'pino'
import { expect, test } from 'vitest'
import { usualLimits } from '../../../src/http/edge/connection-places.ts'
import { fitOpenFiles } from '../../../src/http/edge/fit-open-files.ts'

function limitsFor(maxSandboxes: number, maxFiles: number | null) {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const { connections, withoutCredential } = fitOpenFiles(log, maxSandboxes, maxFiles)
  return { connections, withoutCredential, warnings: lines.length }
}

test.each([
  [8, null, 8_192, 2_048, 0],
  [8, 20_000, 8_192, 2_048, 0],
  [8, 10_923, 8_192, 2_048, 0],
  [8, 4_096, 3_072, 768, 1],
  [8, 1_024, 768, 192, 1],
  // 64 sandboxes take 256 files.
  [64, 1_024, 608, 152, 1],
  [8, 256, 64, 16, 1],
  [8, 64, 8, 2, 1],
])(
  'with %i sandboxes and %s files there are %i connections',
  (sandboxes, files, connections, anonymous, warnings) => {
    expect(limitsFor(sandboxes, files)).toEqual({ connections, withoutCredential: anonymous, warnings })
  },
)

test('head bytes stay as they are', () => {
  expect(fitOpenFiles(pino({ level: 'silent' }), 8, 1_024).headBytes).toBe(usualLimits.headBytes)
})
