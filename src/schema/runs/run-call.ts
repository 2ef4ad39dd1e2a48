import type { KeptCall } from '../../domain/scripts/run.ts'
import { builder } from '../builder.ts'
import { Run } from '../refs.ts'
import { costOfRecord, costOfText } from '../relay/field-cost.ts'

export const RunCall = builder.objectRef<KeptCall>('RunCall').implement({
  description: 'A `graphql()` call of a run.',
  fields: t => ({
    name: t.exposeString('name', {
      description: 'Its first root field, or the host with its port if it was to another one.',
      extensions: costOfText,
    }),
    startMs: t.exposeFloat('startMs', {
      description: 'When it began, in milliseconds from the start of the run.',
    }),
    durationMs: t.exposeFloat('durationMs', {
      nullable: true,
      description: 'Duration in milliseconds; null if it was under way when the run ended.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it rejected, or the first error of its answer; at most 300 characters.',
      extensions: costOfText,
    }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run that it started; null for other calls, or if that run is not kept.',
      scope: 'runs:read',
      extensions: costOfRecord,
      resolve: ({ runId }, _args, { loaders }) => (runId === null ? null : loaders.run(runId)),
    }),
  }),
})
