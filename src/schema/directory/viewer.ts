import type { Caller } from '../../credentials/caller.ts'
import { builder } from '../builder.ts'

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The caller, as its credential says.',
  fields: t => ({
    accountCode: t.exposeString('accountCode', {
      description: 'Code of the account that all data belongs to.',
    }),
    userId: t.exposeID('userId', {
      nullable: true,
      description: 'User id of the credential; null if it is not an integer.',
    }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'E-mail address of the credential; null if unknown.',
    }),
    scopes: t.stringList({
      description: 'Scopes of the credential; `admin` includes all others but `metrics:read`.',
      resolve: caller => [...caller.scopes].sort(),
    }),
    storedBytes: t.float({
      scope: 'admin',
      nullable: true,
      description:
        'Bytes that the cases, events, functions, kept and queued runs of the account take. Needs the scope `admin`.',
      resolve: ({ accountCode }, _args, { services }) => services.directory.findStoredBytes(accountCode),
    }),
  }),
})

builder.queryField('viewer', t =>
  t.field({
    description: 'The caller. Needs no scope.',
    type: Viewer,
    resolve: (_root, _args, { caller }) => caller,
  }),
)
