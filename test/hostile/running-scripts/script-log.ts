/** One line of the gateway's log, as far as scripts are concerned. */
export interface LogRecord {
  readonly msg?: string
  readonly run?: string
  readonly parentRun?: string
  readonly account?: string
  readonly data?: readonly unknown[]
}

/** The records of what a gateway wrote; throws at a line that is not one whole record. */
export function readLogRecords(written: string): LogRecord[] {
  const lines = written.split('\n').filter(line => line !== '')
  return lines.map(line => JSON.parse(line) as LogRecord)
}

/** How deep the runs lay in each other: 1 where none ran inside another. */
export function depthOfRuns(records: readonly LogRecord[]): number {
  const parents = new Map(
    records.flatMap(({ run, parentRun }) => (run === undefined ? [] : [[run, parentRun]])),
  )
  const depthOf = (run: string): number => {
    const parent = parents.get(run)
    return parent === undefined ? 1 : 1 + depthOf(parent)
  }
  return Math.max(0, ...[...parents.keys()].map(depthOf))
}
