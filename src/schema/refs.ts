import type { CaseEvent as CaseEventRow, Case as CaseRow } from '../domain/cases/case-store.ts'
import type { Team as TeamRow, User as UserRow } from '../domain/directory/directory-store.ts'
import type {
  FunctionVersion as FunctionVersionRow,
  StoredFunction,
} from '../domain/functions/function-store.ts'
import type { Membership } from '../domain/memberships/membership-store.ts'
import type { QueuedRun as QueuedRunRow } from '../domain/queue/queue-store.ts'
import type { StoredRun } from '../domain/runs/run-store.ts'
import { builder } from './builder.ts'

// Declared apart from their fields because the types refer to one another.
export const TeamMembership = builder.objectRef<Membership>('TeamMembership')
export const User = builder.objectRef<UserRow>('User')
export const Team = builder.objectRef<TeamRow>('Team')
export const FunctionRef = builder.objectRef<StoredFunction>('Function')
export const FunctionVersion = builder.objectRef<FunctionVersionRow>('FunctionVersion')
export const Case = builder.objectRef<CaseRow>('Case')
export const CaseEvent = builder.objectRef<CaseEventRow>('CaseEvent')
export const Run = builder.objectRef<StoredRun>('Run')
export const QueuedRun = builder.objectRef<QueuedRunRow>('QueuedRun')
