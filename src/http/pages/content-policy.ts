/**
 * Returns the `Content-Security-Policy` of a page that may load what `allowed` names and nothing else. It can have no
 * `base`, send no form and be shown in no frame.
 */
export function writeContentPolicy(...allowed: readonly string[]): string {
  const last = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]
  return ["default-src 'none'", ...allowed, ...last].join('; ')
}
