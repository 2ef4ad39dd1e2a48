import { describe, expect, test } from 'vitest'
import { isLinearizable } from './is-linearizable.ts'
import type { Answer, Operation, Request } from './operation.ts'

// Drawn as they were seen: who asked from when to when, and the answer.
const seen = (askedAt: number, answeredAt: number, request: Request, answer: Answer | null): Operation => ({
  askedAt,
  answeredAt,
  request,
  answer,
})
const pair = (userId: number, teamId: number) => ({ userId, teamId })
const row = (userId: number, teamId: number, version: number): Answer => ({
  kind: 'row',
  row: { pair: pair(userId, teamId), version },
})
const move = (teamId: number, ifVersion: number | null = null): Request => ({
  kind: 'move',
  change: { teamId },
  ifVersion,
})
const read: Request = { kind: 'read' }
const remove: Request = { kind: 'remove' }
const missing: Answer = { kind: 'missing' }
const removed: Answer = { kind: 'removed' }
const stale: Answer = { kind: 'stale' }
const added = seen(0, 1, { kind: 'add', pair: pair(7, 3) }, row(7, 3, 1))

const right: Readonly<Record<string, readonly Operation[]>> = {
  'one after the other': [added, seen(2, 3, move(4), row(7, 4, 2)), seen(4, 5, read, row(7, 4, 2))],
  'a read beside a move sees the row before it': [
    added,
    seen(2, 9, move(4), row(7, 4, 2)),
    seen(3, 4, read, row(7, 3, 1)),
  ],
  'a read beside a move sees the row after it': [
    added,
    seen(2, 9, move(4), row(7, 4, 2)),
    seen(3, 4, read, row(7, 4, 2)),
  ],
  'a move whose answer was lost was made': [added, seen(2, 3, move(4), null), seen(4, 5, read, row(7, 4, 2))],
  'a move whose answer was lost was never made': [
    added,
    seen(2, 3, move(4), null),
    seen(4, 5, read, row(7, 3, 1)),
  ],
  'a move whose answer was lost was made late': [
    added,
    seen(2, 3, move(4), null),
    seen(4, 5, read, row(7, 3, 1)),
    seen(6, 7, read, row(7, 4, 2)),
  ],
  'a move to where it is keeps the version': [added, seen(2, 3, move(3), row(7, 3, 1))],
  'one of two moves at once is too late for its version': [
    added,
    seen(2, 5, move(4, 1), stale),
    seen(3, 4, move(5, 1), row(7, 5, 2)),
  ],
  'what was removed is gone': [added, seen(2, 3, remove, removed), seen(4, 5, read, missing)],
}

const wrong: Readonly<Record<string, readonly Operation[]>> = {
  'an acknowledged move is lost': [added, seen(2, 3, move(4), row(7, 4, 2)), seen(4, 5, read, row(7, 3, 1))],
  'an acknowledged create is lost': [added, seen(2, 3, read, missing)],
  'an acknowledged removal is lost': [added, seen(2, 3, remove, removed), seen(4, 5, read, row(7, 3, 1))],
  'a read returns older data than an earlier one': [
    added,
    seen(2, 9, move(4), row(7, 4, 2)),
    seen(3, 4, read, row(7, 4, 2)),
    seen(5, 6, read, row(7, 3, 1)),
  ],
  'one update is lost beside another': [
    added,
    seen(2, 5, move(4), row(7, 4, 2)),
    seen(3, 6, move(5), row(7, 5, 2)),
  ],
  'a move is made twice': [added, seen(2, 3, move(4), row(7, 4, 2)), seen(4, 5, read, row(7, 4, 3))],
  'a move whose answer was lost is made twice': [
    added,
    seen(2, 3, move(4), null),
    seen(4, 5, read, row(7, 4, 2)),
    seen(6, 7, move(5), row(7, 5, 3)),
    seen(8, 9, read, row(7, 4, 4)),
  ],
  'half of a move is seen': [
    added,
    seen(2, 9, { kind: 'move', change: pair(8, 4), ifVersion: null }, row(8, 4, 2)),
    seen(3, 4, read, row(7, 4, 1)),
  ],
  'two moves of one version are both made': [
    added,
    seen(2, 5, move(4, 1), row(7, 4, 2)),
    seen(3, 6, move(5, 1), row(7, 5, 3)),
  ],
  'a version that was there is called stale': [added, seen(2, 3, move(4, 1), stale)],
  'two removals are both made': [added, seen(2, 5, remove, removed), seen(3, 6, remove, removed)],
  'an id is given out twice': [added, seen(2, 3, { kind: 'add', pair: pair(8, 3) }, row(8, 3, 1))],
  'a row is seen that nobody made': [seen(2, 3, read, row(7, 3, 1))],
}

describe('is linearizable', () => {
  test.each(Object.entries(right))('%s', (_name, operations) => {
    expect(isLinearizable(operations)).toBe(true)
  })
})

describe('is not linearizable', () => {
  test.each(Object.entries(wrong))('%s', (_name, operations) => {
    expect(isLinearizable(operations)).toBe(false)
  })
})

test('a thousand operations, eight at once and each tenth without an answer, are judged in a moment', () => {
  const moves = Array.from({ length: 1_000 }, (_, index) =>
    seen(2 + index, 10 + index, move(100 + index), index % 10 === 0 ? null : row(7, 100 + index, 2 + index)),
  )
  expect(isLinearizable([added, ...moves])).toBe(true)
  const last = seen(2_000, 2_001, read, row(7, 1_099, 1_000))
  expect(isLinearizable([added, ...moves.filter(({ answer }) => answer !== null), last])).toBe(false)
})
