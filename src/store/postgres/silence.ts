/** Time without an answer after which a connection counts as lost. Every statement with a time limit ends earlier. */
export const maxSilentMs = 6_000

/** Returns a statement of a start that waits for no other, so that it fails on a silent connection. */
export function boundBySilence(text: string) {
  return { text, query_timeout: maxSilentMs }
}
