/**
 * A function that loads when first called and gives the same from then on. A load that fails is tried anew by whoever calls
 * next: no file opens while connections have taken all descriptors, and that passes.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () => {
    loading ??= load().catch(error => {
      loading = null
      throw error
    })
    return loading
  }
}
