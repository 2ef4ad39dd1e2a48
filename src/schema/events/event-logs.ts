import { caseEventCursors, eventCursors } from '../relay/cursor.ts'

/** The logs of an account, with the words in which their descriptions differ. */
export const eventLogs = {
  memberships: {
    changed: 'memberships',
    noun: 'events',
    madeBy: 'script',
    cursors: eventCursors,
    scope: 'memberships:read',
  },
  cases: {
    changed: 'cases',
    noun: 'case events',
    madeBy: 'run',
    cursors: caseEventCursors,
    scope: 'cases:read',
  },
} as const

export type EventLog = (typeof eventLogs)[keyof typeof eventLogs]
