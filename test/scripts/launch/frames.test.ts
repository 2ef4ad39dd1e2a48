import { describe, expect, test } from 'vitest'
import { FrameReader } from '../../../src/scripts/launch/frames.ts'

function read(maxBytes: number) {
  const lines: string[] = []
  let refused = 0
  const reader = new FrameReader(
    maxBytes,
    line => lines.push(line),
    () => {
      refused++
    },
  )
  return { reader, lines, refused: () => refused }
}

describe('a stream of bytes becomes lines', () => {
  const text = '{"a":1}\n\n{"b":"€ and 𝄞"}\n'
  const bytes = Buffer.from(text)

  test.each(Array.from({ length: bytes.length }, (_, at) => at))('split after byte %i', at => {
    const { reader, lines } = read(1000)
    reader.push(bytes.subarray(0, at))
    reader.push(bytes.subarray(at))
    expect(lines).toEqual(['{"a":1}', '', '{"b":"€ and 𝄞"}'])
  })

  test('byte by byte', () => {
    const { reader, lines } = read(1000)
    for (const byte of bytes) reader.push(Buffer.of(byte))
    expect(lines).toEqual(['{"a":1}', '', '{"b":"€ and 𝄞"}'])
  })

  test('all lines of one chunk at once, the last one when it is complete', () => {
    const { reader, lines } = read(1000)
    reader.push(Buffer.from('a\nb\nc'))
    expect(lines).toEqual(['a', 'b'])
    reader.push(Buffer.from('d\n'))
    expect(lines).toEqual(['a', 'b', 'cd'])
  })
})

describe('a line past the limit', () => {
  test('is refused before it is complete, however it is split', () => {
    const { reader, lines, refused } = read(10)
    for (let i = 0; i < 11; i++) reader.push(Buffer.from('x'))
    expect([lines, refused()]).toEqual([[], 1])
  })

  test('of exactly the limit passes', () => {
    const { reader, lines, refused } = read(10)
    reader.push(Buffer.from('x'.repeat(10)))
    reader.push(Buffer.from('\n'))
    expect([lines, refused()]).toEqual([['x'.repeat(10)], 0])
  })

  test('is counted for each line', () => {
    const { reader, lines, refused } = read(10)
    for (let i = 0; i < 50; i++) reader.push(Buffer.from(`${'x'.repeat(9)}\n`))
    expect([lines.length, refused()]).toEqual([50, 0])
  })

  test('is refused when it arrives in one piece', () => {
    const { reader, lines, refused } = read(10)
    reader.push(Buffer.from(`${'x'.repeat(11)}\n`))
    expect([lines, refused()]).toEqual([[], 1])
  })
})
