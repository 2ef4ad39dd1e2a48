import pg from 'pg'

/** A connection of a test's own to a database; to be ended. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  // The server may go before it does.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Runs SQL by a connection of its own, and gives the rows of the last statement. */
export async function askPostgres<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = await openClient(url)
  try {
    return [await client.query<Row>(text)].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
