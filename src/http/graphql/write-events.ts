/** A result as an event of a stream (GraphQL over server-sent events). */
export function writeEvent(result: string): string {
  return `event: next\ndata: ${result}\n\n`
}

/** A result that nothing follows. Clients do not connect again after it. */
export function writeLastEvent(result: string): string {
  return `${writeEvent(result)}event: complete\ndata:\n\n`
}
