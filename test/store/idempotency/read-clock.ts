import { readRows } from '../databases/read-rows.ts'

/** The database's own time in milliseconds since the epoch, with its fraction. */
export async function readClock(url: string): Promise<number> {
  const seconds = url.startsWith('sqlite:') ? "unixepoch('subsec')" : 'extract(epoch from clock_timestamp())'
  const [row] = await readRows<{ seconds: number | string }>(url, `select ${seconds} as seconds`)
  return Number(row?.seconds) * 1_000
}
