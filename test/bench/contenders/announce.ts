/** Tells the bench where this contender listens, and ends with the bench. */
export function announce(port: number): void {
  process.once('disconnect', () => process.exit())
  process.send?.({ port })
}
