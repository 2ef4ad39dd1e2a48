// Why the gateway kills a sandbox, and the `cause` as which the metrics count it (contract, section 11). Null is not
// counted: no other sandbox takes its place.
const causes = {
  'is worn': 'worn',
  'is not needed': null,
  'was ended because its gateway stopped': 'stopped',
  'did not boot in time': 'boot',
  'could not get its priority back': 'priority',
  'is too large': 'memory',
  'used too much memory': 'memory',
  'did not begin its run in time': 'timeout',
  'did not end its run in time': 'timeout',
  'did not recover from its run in time': 'timeout',
  'did not leave its script': 'timeout',
  'used too much processor time': 'timeout',
  'was ended because its caller disconnected': 'disconnected',
  'was ended because its gateway could not keep the run': 'lost',
  'ended its run uncleanly': 'unclean',
  'began a run before it was ready': 'protocol',
  'began its run twice': 'protocol',
  'called `graphql` out of order or past the limit': 'protocol',
  'closed its input': 'protocol',
  'closed its output': 'protocol',
  'did not read its input': 'protocol',
  'held a message that it must send': 'protocol',
  'logged past the limits': 'protocol',
  'made too many `graphql` calls at once': 'protocol',
  'reported its dropped log entries too often': 'protocol',
  'sent `ready` out of order': 'protocol',
  'sent a message of another run': 'protocol',
  'sent a message past the size limit': 'protocol',
  'sent a message that is not in the protocol': 'protocol',
  'sent an invalid `graphql` call': 'protocol',
  'wrote too much to its standard error': 'protocol',
} as const

/** Why the gateway kills a sandbox. Its run ends with this reason. */
export type KillReason = keyof typeof causes

/** Returns the `cause` of the metrics; null for none. The reason null stands for a process that ended by itself. */
export function causeOf(reason: KillReason | null): string | null {
  return reason === null ? 'crashed' : causes[reason]
}

/** True for a sandbox that is replaced after a clean run, because it is worn out or not needed. */
export function endsRoutinely(reason: KillReason | null): boolean {
  return reason === 'is worn' || reason === 'is not needed'
}

/**
 * True if the gateway ends a sandbox because it did not recover from a run. Ask it only of a sandbox whose next run has
 * not begun, because that run could use too much memory too.
 */
export function failedToRecover(reason: KillReason | null): boolean {
  return (
    reason === 'did not recover from its run in time' ||
    reason === 'did not leave its script' ||
    reason === 'used too much memory'
  )
}
