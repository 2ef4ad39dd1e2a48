import { checkPlace } from '../../domain/events/follow-events.ts'
import type { EventStore, LoggedEvent } from '../../domain/port.ts'
import { builder } from '../builder.ts'
import { costOfPage, pageSize } from '../relay/page-size.ts'
import { type PageArguments, resolvePage, sequenceOf } from '../relay/resolve-page.ts'
import type { EventLog } from './event-logs.ts'

export const eventArguments = builder.args(t => ({
  after: t.string({ description: 'Only events after this cursor. Default: from the first event on.' }),
  first: t.int({ description: `Page size: ${pageSize.byDefault} by default, at most ${pageSize.max}.` }),
  before: t.string({ description: 'Only events before this cursor.' }),
  last: t.int({
    description: `Page size, counted from the newest event; at most ${pageSize.max}. Replaces \`first\`.`,
  }),
}))

type EventRef<Event> = ReturnType<typeof builder.objectRef<Event>>

/** The connection and the edge of a type of events. */
export function eventConnection<Event extends LoggedEvent>(type: EventRef<Event>, { noun }: EventLog) {
  return builder.connectionObject(
    {
      name: `${type.name}Connection`,
      description: `A page of ${noun}, in the order of the changes.`,
      type,
    },
    { name: `${type.name}Edge`, description: 'An event and its cursor.' },
  )
}

/** The parts of a query of the events of a log, besides its type. */
export function listField({ changed, scope, cursors }: EventLog) {
  return {
    options: {
      description: `Changes of the account's ${changed}, oldest first.`,
      scope,
      extensions: costOfPage,
      args: eventArguments,
    },
    list<Event extends LoggedEvent>(events: EventStore<Event>, accountCode: string, given: PageArguments) {
      return resolvePage(given, {
        cursors,
        positionOf: sequenceOf,
        async read(page) {
          const rows = await events.page(accountCode, page)
          // Only a page without events can begin after the newest one.
          if (rows.length === 0 && page.after !== null) {
            checkPlace(page.after, await events.newest(accountCode))
          }
          return rows
        },
      })
    },
  }
}
