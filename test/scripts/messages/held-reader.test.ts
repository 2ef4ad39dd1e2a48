import { writeSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HeldLines, HeldReader } from '../../../src/scripts/launch/held-lines.ts'

let lines: HeldLines
let reader: HeldReader

beforeEach(() => {
  lines = new HeldLines(1)
  reader = new HeldReader(lines.take())
})

afterEach(() => {
  lines.release(reader.pipe ?? 0)
  lines.close()
})

function hold(number: number, text = `line ${number}`): void {
  writeSync(reader.pipe ?? 0, `${number} ${text}\n`)
}

test('a line that was taken from the pipe is not received again', () => {
  hold(1)
  expect(reader.take()).toEqual(['line 1'])
  expect(reader.receive()).toBe(false)
  expect(reader.receive()).toBe(true)
})

test('a line that was received is not taken', () => {
  hold(1)
  hold(2)
  reader.receive()
  expect(reader.take()).toEqual(['line 2'])
})

test('a line waits for those before it, which are still in the output', () => {
  hold(3)
  expect(reader.take()).toEqual([])
  reader.receive()
  expect(reader.take()).toEqual([])
  reader.receive()
  expect(reader.take()).toEqual(['line 3'])
})

test('a line that came in the output meanwhile is not taken later', () => {
  hold(2)
  expect(reader.take()).toEqual([])
  reader.receive()
  reader.receive()
  expect(reader.take()).toEqual([])
})

test('of a dead sandbox, all are taken', () => {
  hold(3)
  hold(5)
  expect(reader.take()).toEqual([])
  expect(reader.takeAll()).toEqual(['line 3', 'line 5'])
})

test('a compromised sandbox that numbers its lines far ahead fills no memory', () => {
  for (let i = 0; i < 40; i++) {
    hold(1_000_000 + i, 'x'.repeat(30_000))
    expect(reader.take()).toEqual([])
  }
  expect(reader.takeAll().join('').length).toBeLessThanOrEqual(64 * 1024)
})
