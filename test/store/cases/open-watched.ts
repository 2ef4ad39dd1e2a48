import type { Harness } from '../databases/each-store.ts'

/** Opens a new store and collects what it sends to PostgreSQL, but for notifications, which no change waits for. */
export async function openWatched(harness: Harness) {
  const url = await harness.freshUrl()
  const statements: string[] = []
  const onStatement = (statement: string) => {
    if (!statement.includes('pg_notify')) statements.push(statement)
  }
  return { url, statements, store: await harness.open({ url, onStatement }) }
}
