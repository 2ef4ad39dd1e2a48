import type { Replay } from '../../domain/runs/prepare-replay.ts'
import { builder } from '../builder.ts'
import { Run } from '../refs.ts'
import { costOfRun } from '../relay/field-cost.ts'

const ReplayVersion = builder.enumType('ReplayVersion', {
  description: 'Which version of its function a replay runs.',
  values: {
    ORIGINAL: { value: 'original', description: 'The version that ran.' },
    LIVE: { value: 'live', description: 'The version that is live now.' },
  } as const satisfies Record<string, { value: Replay['version']; description: string }>,
})

builder.mutationField('replayRun', t =>
  t.field({
    description:
      'Runs the kept input of a run again, in a new transaction, and waits until it ends. A run of a hook, a case\n' +
      'task or a webhook has its scopes again; another run those that your credential has too.\n\n' +
      '`NOT_FOUND` for an unknown run or version. `CONFLICT` if its input or script is not kept, and without\n' +
      '`dryRun` for runs of case tasks and of hooks before a save or a delete.',
    type: Run,
    nullable: true,
    scope: 'functions:write',
    extensions: costOfRun,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the run.' }),
      version: t.arg({
        type: ReplayVersion,
        required: true,
        defaultValue: 'original',
        description: 'Which version of its function runs, unless `functionVersion` names one.',
      }),
      functionVersion: t.arg.id({
        description: 'Hash of a version of its function that runs instead, live or not.',
      }),
      dryRun: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'True if the replay must change nothing: `graphql()` then answers queries alone.',
      }),
    },
    resolve: (_root, { id, functionVersion = null, ...given }, context) => {
      const replay = { ...given, functionVersion, work: context.createLongWork() }
      return context.services.runs.replay(context, id, replay)
    },
  }),
)
