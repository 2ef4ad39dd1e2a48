import { expect, test } from 'vitest'
import { AccountBudget, type BudgetLimits } from '../../src/fairness/account-budget.ts'
import { Reservation } from '../../src/fairness/reservation.ts'

const wording = { describe: (held: number) => `${held} slots`, retryAfterSeconds: 1 }
const overloaded = expect.objectContaining({ code: 'OVERLOADED' })

const budgetOf = (limits: BudgetLimits) => new AccountBudget(limits, wording)

test('an account holds up to its limit, and what it released can be reserved again', () => {
  const budget = budgetOf({ account: 10, total: 100 })
  budget.reserve('a', 10)
  expect(() => budget.reserve('a', 1)).toThrow(overloaded)
  budget.reserve('b', 10)
  budget.release('a', 4)
  budget.reserve('a', 4)
  expect([budget.reservedBy('a'), budget.total]).toEqual([10, 20])
})

test('all accounts together hold up to the total, but each can always hold its share', () => {
  const budget = budgetOf({ account: 10, total: 12, share: 2 })
  budget.reserve('a', 10)
  expect(() => budget.reserve('b', 3)).toThrow(overloaded)
  budget.reserve('b', 2)
  budget.reserve('c', 2)
  expect(() => budget.reserve('c', 1)).toThrow(overloaded)
  budget.release('a', 10)
  budget.reserve('c', 8)
  expect(budget.total).toBe(12)
})

test('the largest is the account that holds the most', () => {
  const budget = budgetOf({ account: 10, total: 100 })
  expect(budget.findLargest()).toBeUndefined()
  budget.reserve('a', 2)
  budget.reserve('b', 3)
  budget.reserve('c', 1)
  expect(budget.findLargest()).toBe('b')
  budget.release('b', 3)
  expect(budget.findLargest()).toBe('a')
})

test('a reservation that was handed over is released once, by its new holder', () => {
  const budget = budgetOf({ account: 10, total: 100 })
  const first = new Reservation(budget, 'a')
  first.resize(6)
  const second = first.handOver()
  first.release()
  expect([first.amount, second.amount, budget.total]).toEqual([0, 6, 6])
  expect(() => second.resize(11)).toThrow(overloaded)
  expect(second.amount).toBe(6)
  second.release()
  second.release()
  expect(budget.total).toBe(0)
})
