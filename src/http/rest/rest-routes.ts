import { directoryRows } from './directory-rows.ts'
import { executeRow } from './execute-row.ts'
import type { RestRow } from './rest-row.ts'
import { teamMembershipRows } from './team-membership-rows.ts'

/** The REST table: every path of the REST side, each executed by the one engine. */
export const restRoutes: readonly RestRow[] = [...teamMembershipRows, ...directoryRows, executeRow]
