/** Copies a text. Returns false if the browser refuses, or has no clipboard: over plain HTTP it has none. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
