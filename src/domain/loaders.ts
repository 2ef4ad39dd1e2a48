import type { Membership, Page, Team, User } from './store.ts'

export interface RowLoader<Row> {
  /** The row, null where there is none; no promise of a row that the store has at hand. */
  load(id: number): Row | null | Promise<Row | null>
}

/** Batches the reads of one operation, so that their number of statements does not depend on the number of rows. */
export interface Loaders {
  readonly membership: RowLoader<Membership>
  readonly user: RowLoader<User>
  readonly team: RowLoader<Team>
  /** One statement for each distinct page that the document asks for, however many users it asks it of. */
  membershipsOfUser(userId: number, page: Page): Promise<Membership[]>
  membershipsOfTeam(teamId: number, page: Page): Promise<Membership[]>
  /** Forgets what was read. For a mutation that changed something: fields of the next one must see it. */
  clear(): void
}
