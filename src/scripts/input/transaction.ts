import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../domain/scripts/run.ts'
import type { RunCause } from '../../domain/scripts/run-cause.ts'
import { scanJson } from '../../json/scan-json.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const maxSourceLength = 1_000

export interface TransactionSource {
  /** `requestContext` of the task's options, as JSON text; undefined if absent. */
  readonly given: string | undefined
  /** The transaction of the parent run, if there is one. */
  readonly parent: Transaction | null
  readonly cause: Pick<RunCause, 'trigger' | 'event' | 'txnId'>
  readonly caseTypeCode: string | null
  readonly name: string
}

/**
 * Continues the transaction of the cause. Without one, continues the caller's transaction if its `txnID` is a GUID,
 * otherwise the parent run's, otherwise starts one. A script that came with its request has the `txnSource` of the
 * transaction that it continues, unless that is empty or too long. All other scripts have their own (contract, section
 * 7).
 */
export function continueOrStart(source: TransactionSource): Transaction {
  const { given, parent, cause, caseTypeCode, name } = source
  const label = cause.event === null ? part(name) : `${cause.event}/${part(name)}`
  const fresh = `${cause.trigger}|${part(caseTypeCode || '-')}/${label}|${new Date().toISOString()}`
  if (cause.txnId !== null) return { txnID: cause.txnId, txnSource: fresh }
  const continued = readTransaction(given) ?? parent
  const txnID = continued?.txnID ?? randomUUID()
  return { txnID, txnSource: (cause.trigger === 'endpoint' && continued?.txnSource) || fresh }
}

// Returns null without a GUID. `txnSource` is empty if it is not usable.
function readTransaction(given: string | undefined): Transaction | null {
  const { txnID, txnSource } = readGiven(given)
  if (typeof txnID !== 'string' || !guid.test(txnID)) return null
  const isUsable = typeof txnSource === 'string' && txnSource.length <= maxSourceLength
  return { txnID, txnSource: isUsable ? txnSource : '' }
}

// Replaces the separator and control characters in a name.
function part(text: string): string {
  return text.replace(/[|\p{Cc}\u2028\u2029]/gu, '_')
}

const names = ['txnID', 'txnSource'] as const

// Reads only the two members that are needed.
function readGiven(text: string | undefined): { readonly txnID?: unknown; readonly txnSource?: unknown } {
  if (text === undefined) return {}
  const { members } = scanJson(Buffer.from(text), { maxDepth: Number.POSITIVE_INFINITY }, names)
  const read = [...members].map(([name, { bytes }]) => [name, readShort(bytes)])
  return Object.fromEntries(read)
}

// Each character of the longest valid text may be a six-character escape.
function readShort(bytes: Buffer): unknown {
  return bytes.length > 6 * maxSourceLength + 2 ? null : JSON.parse(bytes.toString('utf8'))
}
