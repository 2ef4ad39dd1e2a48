import { inject } from 'vitest'

/** Creates a migrated database without rows on the PostgreSQL that all test files share, and gives its URL. */
export function createDatabase(): Promise<string> {
  return askForDatabase('/')
}

/** The same without tables. */
export function createEmptyDatabase(): Promise<string> {
  return askForDatabase('/empty')
}

/** Gives a database back that its test has left, for another one. */
export async function releaseDatabase(url: string): Promise<void> {
  const answer = await fetch(inject('databasesUrl'), { method: 'POST', body: url })
  if (!answer.ok) throw new Error(`The database was not cleaned: ${await answer.text()}`)
}

async function askForDatabase(path: string): Promise<string> {
  const answer = await fetch(new URL(path, inject('databasesUrl')))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`No database was created: ${text}`)
  return text
}
