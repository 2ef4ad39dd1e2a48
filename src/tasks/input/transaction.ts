import { randomUUID } from 'node:crypto'
import { scanJson } from '../../json/scan-json.ts'

/** Ties the calls of one piece of work together; `requestContext()` of a script (contract, section 4). */
export interface Transaction {
  readonly txnID: string
  /** `<trigger>|<case_type_code>/<hook or task name>|<ISO 8601 time>` */
  readonly txnSource: string
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const longestSource = 1_000

export interface TransactionSource {
  /** `requestContext` as the caller gave it in the task's options: a JSON text, or undefined. */
  readonly given: string | undefined
  /** The transaction of the run that asks, if one does. */
  readonly parent: Transaction | null
  readonly caseTypeCode: string | null
  readonly name: string
}

/**
 * Continues the transaction that the caller names by a GUID, else that of the run which asks, else starts one. A given
 * `txnSource` is kept with its GUID, when it is text of a sane length.
 */
export function continueOrStart({ given, parent, caseTypeCode, name }: TransactionSource): Transaction {
  const fresh = `endpoint|${part(caseTypeCode || '-')}/${part(name)}|${new Date().toISOString()}`
  const { txnID, txnSource } = readGiven(given)
  if (typeof txnID === 'string' && guid.test(txnID)) {
    const isUsable = typeof txnSource === 'string' && txnSource !== '' && txnSource.length <= longestSource
    return { txnID, txnSource: isUsable ? txnSource : fresh }
  }
  return parent ?? { txnID: randomUUID(), txnSource: fresh }
}

// Nothing in a name may pass for one of the source's own signs, nor break its line.
function part(text: string): string {
  return text.replace(/[|\p{Cc}\u2028\u2029]/gu, '_')
}

const names = ['txnID', 'txnSource'] as const

// Whatever else is in it is not read.
function readGiven(text: string | undefined): { readonly txnID?: unknown; readonly txnSource?: unknown } {
  if (text === undefined) return {}
  const { members } = scanJson(Buffer.from(text), { maxDepth: Number.POSITIVE_INFINITY }, names)
  const read = [...members].map(([name, { bytes }]) => [name, readShort(bytes)])
  return Object.fromEntries(read)
}

// Of the longest that is kept each character may be an escape.
function readShort(bytes: Buffer): unknown {
  return bytes.length > 6 * longestSource + 2 ? null : JSON.parse(bytes.toString('utf8'))
}
