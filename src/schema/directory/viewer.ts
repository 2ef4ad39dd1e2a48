import type { Caller } from '../../credentials/caller.ts'
import { builder } from '../builder.ts'

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'Whoever asks, as the credential says.',
  fields: t => ({
    accountCode: t.exposeString('accountCode', {
      description: 'The account that everything here belongs to.',
    }),
    userId: t.exposeID('userId', {
      nullable: true,
      description: 'Null where the credential names nobody with an integer id.',
    }),
    email: t.exposeString('email', { nullable: true, description: 'Null where it is not known.' }),
    scopes: t.stringList({
      description: 'What the credential may do; `admin` stands for everything.',
      resolve: caller => [...caller.scopes].sort(),
    }),
  }),
})

builder.queryField('viewer', t =>
  t.field({
    description: 'Whoever asks. Needs no scope.',
    type: Viewer,
    resolve: (_root, _args, { caller }) => caller,
  }),
)
