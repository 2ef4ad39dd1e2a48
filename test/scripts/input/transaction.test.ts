import { describe, expect, test } from 'vitest'
import { makeCause } from '../../../src/domain/scripts/run-cause.ts'
import { continueOrStart as continueTransaction } from '../../../src/scripts/input/transaction.ts'

const guid = '0b6e1f0a-9d3c-4c1e-8f2a-1234567890ab'
const parent = { txnID: '11111111-2222-4333-8444-555555555555', txnSource: 'endpoint|-/outer|then' }
const task = {
  given: undefined,
  parent: null,
  cause: makeCause({ trigger: 'endpoint' }),
  caseTypeCode: null,
  name: 'recalculate',
} as const

type Source = Parameters<typeof continueTransaction>[0]

function continueOrStart({ given, ...rest }: Omit<Source, 'given'> & { readonly given: unknown }) {
  return continueTransaction({ ...rest, given: JSON.stringify(given) })
}

describe('a new transaction', () => {
  test('of a hook has the event in its source, and continues the transaction of its cause', () => {
    const cause = makeCause({ trigger: 'hook', event: 'pre-save', txnId: guid })
    const { txnID, txnSource } = continueOrStart({ ...task, cause, caseTypeCode: 'incident', parent })
    expect(txnID).toBe(guid)
    expect(txnSource).toMatch(/^hook\|incident\/pre-save\/recalculate\|/)
  })

  test('has a new GUID and a source of trigger, task and time', () => {
    const before = Date.now()
    const { txnID, txnSource } = continueOrStart({ ...task, caseTypeCode: 'incident' })
    expect(txnID).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const [trigger, path, time] = txnSource.split('|')
    expect([trigger, path]).toEqual(['endpoint', 'incident/recalculate'])
    expect(new Date(time ?? '').toISOString()).toBe(time)
    expect(Date.parse(time ?? '')).toBeGreaterThanOrEqual(before)
  })

  test.each([null, ''])('writes - for the case type code %j', caseTypeCode => {
    expect(continueOrStart({ ...task, caseTypeCode }).txnSource).toMatch(/^endpoint\|-\/recalculate\|/)
  })

  const noContexts: unknown[] = [
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { txnID: 'not-a-guid' },
    { txnID: `${guid} ` },
    { txnID: `x${guid}` },
    { txnID: `${guid}\n` },
    { txnID: [guid] },
    { txnID: { toString: () => guid } },
    { txnSource: 'endpoint|a/b|c' },
  ]

  test.each(noContexts)('starts if %j is given', given => {
    const first = continueOrStart({ ...task, given })
    const second = continueOrStart({ ...task, given })
    expect(first.txnID).not.toBe(second.txnID)
    expect(first.txnID).not.toContain(guid)
    expect(first.txnSource).toMatch(/^endpoint\|-\/recalculate\|/)
  })

  test.each(noContexts)('is that of the parent run if %j is given', given => {
    expect(continueOrStart({ ...task, given, parent })).toEqual(parent)
  })
})

describe('a stored function has its own source', () => {
  const stored = {
    ...task,
    cause: makeCause({ trigger: 'function' }),
    caseTypeCode: 'incident',
  } as const
  const own = expect.stringMatching(/^function\|incident\/recalculate\|/)

  test('in the transaction of its parent run', () => {
    const continued = continueOrStart({ ...stored, given: undefined, parent })
    expect(continued).toEqual({ txnID: parent.txnID, txnSource: own })
  })

  test('in a given transaction', () => {
    const given = { txnID: guid, txnSource: 'hook|incident/close|2026-01-01T00:00:00.000Z' }
    expect(continueOrStart({ ...stored, given, parent })).toEqual({ txnID: guid, txnSource: own })
  })
})

describe('a given transaction is continued', () => {
  test.each([guid, guid.toUpperCase(), '00000000-0000-0000-0000-000000000000'])('by %s', txnID => {
    const given = { txnID, txnSource: 'hook|incident/close|2026-01-01T00:00:00.000Z' }
    expect(continueOrStart({ ...task, given })).toEqual(given)
    expect(continueOrStart({ ...task, given, parent })).toEqual(given)
  })

  test('without its other members', () => {
    const given = { txnID: guid, txnSource: 'a', admin: true }
    expect(continueOrStart({ ...task, given })).toEqual({ txnID: guid, txnSource: 'a' })
  })

  test.each([undefined, null, '', 7, {}, 'x'.repeat(1_001)])(
    'with a new source if the given one is %.20j',
    txnSource => {
      const continued = continueOrStart({ ...task, given: { txnID: guid, txnSource } })
      expect(continued.txnID).toBe(guid)
      expect(continued.txnSource).toMatch(/^endpoint\|-\/recalculate\|/)
    },
  )

  test('with the longest allowed source', () => {
    const given = { txnID: guid, txnSource: 'x'.repeat(1_000) }
    expect(continueOrStart({ ...task, given })).toEqual(given)
  })
})
