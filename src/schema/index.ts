import { builder } from './builder.ts'
import './scalars.ts'
import './team-membership-connection.ts'
import './user.ts'
import './team.ts'
import './team-membership.ts'
import './team-membership-mutations.ts'
import './team-membership-events.ts'
import './team-membership-changed.ts'
import './viewer.ts'
import './task-execution.ts'
import './execute-task.ts'

export const schema = builder.toSchema({ sortSchema: true })
