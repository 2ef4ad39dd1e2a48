import type DataLoader from 'dataloader'
import type { Membership, Page, Team, User } from './store.ts'

/** Batches the reads of one operation, so that their number of statements does not depend on the number of rows. */
export interface Loaders {
  readonly membership: DataLoader<number, Membership | null>
  readonly user: DataLoader<number, User | null>
  readonly team: DataLoader<number, Team | null>
  /** One statement for each distinct page that the document asks for, however many users it asks it of. */
  membershipsOfUser(userId: number, page: Page): Promise<Membership[]>
  membershipsOfTeam(teamId: number, page: Page): Promise<Membership[]>
  /** Forgets what was read. For a mutation that changed something: fields of the next one must see it. */
  clear(): void
}
