import { cases } from '../../operations/cases.ts'
import { teamMemberships, teams, users } from '../../operations/directory.ts'
import { readIfMatch } from './if-match.ts'
import { id, json, type RestInput, text } from './read-input.ts'
import { recordRow } from './record-row.ts'
import type { RestRequest, RestRow } from './rest-row.ts'

const pathId = (request: RestRequest) => ({ id: request.id })
const condition = (request: RestRequest) => ({
  ...pathId(request),
  ifVersions: readIfMatch(request.ifMatch),
})

const membership = '/platform/team_memberships'

const moved: RestInput = {
  members: { user_id: id.optional(), team_id: id.optional() },
  needsOneOf: '`user_id`, `team_id` or both',
}

const merge = (request: RestRequest) => ({ ...condition(request), mode: 'MERGE' })
// The type of a case cannot change, so another one is refused.
const members = { case_type_code: text.optional(), data: json }

/** The paths of records (contract, sections 1, 2 and 7). */
export const recordRows: readonly RestRow[] = [
  recordRow(`GET ${membership}/:id`, teamMemberships.get),
  recordRow(`GET ${membership}`, teamMemberships.list),
  recordRow(`POST ${membership}`, teamMemberships.add, { members: { user_id: id, team_id: id } }),
  recordRow(`PUT ${membership}/:id`, teamMemberships.move, moved),
  recordRow(`DELETE ${membership}/:id`, teamMemberships.remove),
  recordRow('GET /platform/users/:id', users.get),
  recordRow('PUT /platform/users/:id', users.save, {
    members: { email: text.optional(), display_name: text.optional() },
    beside: pathId,
  }),
  recordRow('GET /platform/teams/:id', teams.get),
  recordRow('PUT /platform/teams/:id', teams.save, { members: { name: text.optional() }, beside: pathId }),
  recordRow('GET /platform/cases/:id', cases.get),
  recordRow('GET /platform/cases', cases.list),
  recordRow('POST /platform/cases', cases.save, { members: { case_type_code: text, data: json } }),
  recordRow('PUT /platform/cases/:id', cases.save, { members, beside: condition }),
  recordRow('PATCH /platform/cases/:id', cases.save, { members, beside: merge }),
  recordRow('DELETE /platform/cases/:id', cases.delete),
]
