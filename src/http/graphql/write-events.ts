/** Writes a result as an event of a stream (GraphQL over server-sent events). */
export function writeEvent(result: string): string {
  return `event: next\ndata: ${result}\n\n`
}

/** Writes the last result of a stream. Clients do not connect again after it. */
export function writeLastEvent(result: string): string {
  return `${writeEvent(result)}event: complete\ndata:\n\n`
}
