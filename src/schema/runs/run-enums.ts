import { type RunTrigger as Trigger, triggerKinds } from '../../domain/scripts/trigger-kinds.ts'
import { builder } from '../builder.ts'

const triggers = Object.keys(triggerKinds) as Trigger[]

export const RunTrigger = builder.enumType('RunTrigger', {
  description: 'What runs a script.',
  values: Object.fromEntries(
    triggers.map(value => [value.toUpperCase(), { value, description: triggerKinds[value].description }]),
  ),
})

export const RunState = builder.enumType('RunState', {
  description: 'State of a run.',
  values: {
    RUNNING: { value: 'running', description: 'It has not ended.' },
    ENDED: { value: 'ended', description: 'It has ended; see `outcome`.' },
    LOST: { value: 'lost', description: 'Its gateway died before it ended.' },
    SUPERSEDED: { value: 'superseded', description: 'The save that it belonged to was done again.' },
  } as const,
})

export const HookEvent = builder.enumType('HookEvent', {
  description: 'The event of a case that a hook is for.',
  values: {
    PRE_SAVE: { value: 'pre-save', description: 'Before a save is stored.' },
    POST_SAVE: { value: 'post-save', description: 'After a save is stored.' },
    PRE_DELETE: { value: 'pre-delete', description: 'Before a case is deleted.' },
    POST_DELETE: { value: 'post-delete', description: 'After a case is deleted.' },
  } as const,
})
