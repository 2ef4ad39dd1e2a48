/** Size of a page of a connection when the caller names none, and the most a caller may ask for. */
export const pageSize = { byDefault: 100, most: 1_000 } as const
