import { builder } from '../builder.ts'
import { CaseEvent } from '../refs.ts'
import { pageSize } from '../relay/page-size.ts'

export const CaseEventConnection = builder.connectionObject(
  {
    name: 'CaseEventConnection',
    description: 'A page of case events, in the order of the changes.',
    type: CaseEvent,
  },
  { name: 'CaseEventEdge', description: 'An event and its cursor.' },
)

export const eventArguments = builder.args(t => ({
  after: t.string({ description: 'Only events after this cursor. Default: from the first event on.' }),
  first: t.int({ description: `Page size: ${pageSize.byDefault} by default, at most ${pageSize.max}.` }),
}))
