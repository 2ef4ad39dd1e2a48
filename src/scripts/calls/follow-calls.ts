import type { Run } from '../../domain/scripts/run.ts'
import type { RunFollower } from '../../domain/scripts/run-follower.ts'
import type { AnswerRunCall, RunCall } from './answer-call.ts'
import { nameCall } from './name-call.ts'
import type { AnswerCall } from './script-calls.ts'

interface FollowedCalls extends Pick<RunCall, 'run' | 'log' | 'onRefused'> {
  readonly answerCall: AnswerRunCall
  /** Null without a follower. */
  readonly follower: RunFollower | null
}

// Longer messages are cut.
const maxErrorCharacters = 1_000

/** Answers the calls of one run, and tells its follower when each begins and ends. */
export function followCalls({ answerCall, follower, run, log, onRefused }: FollowedCalls): AnswerCall {
  const nothing = () => undefined
  if (follower === null) return call => answerCall({ ...call, run, log, onRunBegun: nothing, onRefused })

  return async call => {
    const begun = { id: call.id, name: nameCall(call), at: new Date() }
    const startedAt = performance.now()
    let error: string | null = null
    let runId: string | null = null
    follower.onCallBegun?.(begun)
    try {
      return await answerCall({
        ...call,
        run,
        log,
        onRunBegun(started: Run) {
          runId ??= started.id
        },
        onRefused(message) {
          error ??= message
          onRefused(message)
        },
      })
    } catch (failure) {
      error ??= failure instanceof Error ? failure.message : 'The call failed'
      throw failure
    } finally {
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10
      const ended = {
        ...begun,
        at: new Date(),
        durationMs,
        error: error?.slice(0, maxErrorCharacters) ?? null,
        runId,
      }
      if (!run.signal.aborted) follower.onCallEnded?.(ended)
    }
  }
}
