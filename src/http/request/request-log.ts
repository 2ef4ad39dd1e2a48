import { type Logger, symbols } from 'pino'

/** What the one line of a request says; a null `txnID` and a false `aborted` are left out. */
export interface RequestRecord {
  readonly requestId: string
  readonly account: string | null
  readonly operation: string | null
  readonly status: number | null
  readonly durationMs: number
  readonly txnID: string | null
  readonly aborted: boolean
}

export type WriteRecord = (record: RequestRecord) => void

/**
 * A function that logs the one line of each request, as `log.info(record, 'request')` would. Pino's own writer of lines, which
 * knows nothing of what it is given, takes a tenth of the time of a small read: this one knows.
 */
export function createRequestLog(log: Logger): WriteRecord {
  const lines = log.child({}) as Logger & Record<symbol, unknown>
  const bindings = String(lines[symbols.chindingsSym] ?? '')
  lines[symbols.asJsonSym] = (record: RequestRecord, message: string, level: number, time: string) => {
    const { requestId, account, operation, status, durationMs, txnID, aborted } = record
    const texts = `"account":${JSON.stringify(account)},"operation":${JSON.stringify(operation)}`
    const numbers = `"status":${status},"durationMs":${durationMs}`
    const rest = `${txnID === null ? '' : `,"txnID":${JSON.stringify(txnID)}`}${aborted ? ',"aborted":true' : ''}`
    return `{"level":${level}${time}${bindings},"requestId":"${requestId}",${texts},${numbers}${rest},"msg":"${message}"}\n`
  }
  return record => lines.info(record, 'request')
}
