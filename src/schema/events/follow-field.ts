import type { RequestContext } from '../../context.ts'
import type { EventFollowing, Following } from '../../domain/events/follow-events.ts'
import type { LoggedEvent } from '../../domain/port.ts'
import { builder } from '../builder.ts'
import { refuseWithoutScope } from '../scopes/refuse-without-scope.ts'
import type { EventLog } from './event-logs.ts'

export const followArguments = builder.args(t => ({
  after: t.string({
    description: 'Only events after this cursor. Default: changes committed after the stream began.',
  }),
}))

interface Given<Event> extends Pick<Following<Event>, 'isWanted'> {
  readonly after: string | null | undefined
  readonly context: RequestContext
}

/** The parts of a subscription to the events of a log, besides its type and its arguments. */
export function followField(name: string, { changed, noun, scope, cursors }: EventLog) {
  return {
    name,
    options: {
      description: `Each change of the account's ${changed}, once and in order, from now on or after a cursor.`,
      scope,
    },
    follow<Event extends LoggedEvent>(
      following: EventFollowing<Event>,
      { after, context, ...filter }: Given<Event>,
    ): Promise<AsyncGenerator<Event, void>> {
      const { caller, signal, log } = context
      context.placeOf = ({ sequence }: Event) => ({ cursor: cursors.encode(sequence) })
      return following.follow({
        accountCode: caller.accountCode,
        after: after == null ? null : cursors.decode(after, 'after'),
        signal,
        ...filter,
        confirm: async () => refuseWithoutScope(await context.confirmCaller(), scope, `Subscription.${name}`),
        onTrouble: err => log.warn({ err }, `${noun} cannot be read; the stream waits`),
      })
    },
  }
}
