/** Where the rows after a page begin. */
export interface PageInfo {
  readonly hasNextPage: boolean
  readonly endCursor: string | null
}
