/**
 * Returns a function that loads on its first call and then returns the same value. The next call retries a failed load,
 * which can happen while connections use up all file descriptors.
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
