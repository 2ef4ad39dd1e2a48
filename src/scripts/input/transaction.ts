import type { Transaction } from '../../domain/scripts/run.ts'
import type { RunCause } from '../../domain/scripts/run-cause.ts'
import { isGuid, newGuid } from '../../guid.ts'
import { scanJson } from '../../json/scan-json.ts'

const maxSourceLength = 1_000

export interface TransactionSource {
  /** The JSON text of `requestContext` in the caller's options; undefined if absent. */
  readonly given: string | undefined
  /** The transaction of the parent run; null without one. */
  readonly parent: Transaction | null
  readonly cause: Pick<RunCause, 'trigger' | 'event' | 'txnId'>
  readonly caseTypeCode: string | null
  readonly name: string
}

/**
 * Returns the transaction of a run: the one of its cause, else the caller's if its `txnID` is a GUID, else the parent
 * run's, else a new one. A script that came with its request keeps the `txnSource` of the transaction that it
 * continues, unless that is empty or too long. All other scripts have their own `txnSource` (contract, section 7).
 */
export function continueOrStart(source: TransactionSource): Transaction {
  const { given, parent, cause, caseTypeCode, name } = source
  const label = cause.event === null ? part(name) : `${cause.event}/${part(name)}`
  const fresh = `${cause.trigger}|${part(caseTypeCode || '-')}/${label}|${new Date().toISOString()}`
  if (cause.txnId !== null) return { txnID: cause.txnId, txnSource: fresh }
  const continued = readTransaction(given) ?? parent
  const txnID = continued?.txnID ?? newGuid()
  return { txnID, txnSource: (cause.trigger === 'endpoint' && continued?.txnSource) || fresh }
}

// Reads the caller's transaction. Returns null without a GUID. `txnSource` is empty if it cannot be used.
function readTransaction(given: string | undefined): Transaction | null {
  const { txnID, txnSource } = readGiven(given)
  if (typeof txnID !== 'string' || !isGuid(txnID)) return null
  const isUsable = typeof txnSource === 'string' && txnSource.length <= maxSourceLength
  return { txnID, txnSource: isUsable ? txnSource : '' }
}

// Makes a name part of `txnSource`: replaces the separator and control characters.
function part(text: string): string {
  return text.replace(/[|\p{Cc}\u2028\u2029]/gu, '_')
}

const names = ['txnID', 'txnSource'] as const

// Reads only the two members that a transaction needs.
function readGiven(text: string | undefined): { readonly txnID?: unknown; readonly txnSource?: unknown } {
  if (text === undefined) return {}
  const { members } = scanJson(Buffer.from(text), { maxDepth: Number.POSITIVE_INFINITY }, names)
  const read = [...members].map(([name, { bytes }]) => [name, readShort(bytes)])
  return Object.fromEntries(read)
}

// Reads a text if it is short enough. Each character of the longest valid text may be a six-character escape.
function readShort(bytes: Buffer): unknown {
  return bytes.length > 6 * maxSourceLength + 2 ? null : JSON.parse(bytes.toString('utf8'))
}
