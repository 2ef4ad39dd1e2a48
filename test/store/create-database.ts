import { inject } from 'vitest'

/** Creates an empty database on the PostgreSQL that all test files share, and gives its URL. */
export async function createDatabase(): Promise<string> {
  const answer = await fetch(inject('databasesUrl'))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`No database was created: ${text}`)
  return text
}
