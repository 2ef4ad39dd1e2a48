import type { Run } from '../../domain/scripts/run.ts'
import type { RunFollower } from '../../domain/scripts/run-follower.ts'
import { cutText } from '../../json/surrogates.ts'
import type { AnswerRunCall, RunCall } from './answer-call.ts'
import { type KeptCalls, toTenths } from './kept-calls.ts'
import { nameCall } from './name-call.ts'
import type { AnswerCall } from './script-calls.ts'

interface FollowedCalls extends Pick<RunCall, 'run' | 'log' | 'onRefused'> {
  readonly answerCall: AnswerRunCall
  /** Null without a follower. */
  readonly follower: RunFollower | null
  /** Keeps the first calls with the run. */
  readonly calls: KeptCalls
}

// Longer messages are cut.
const maxErrorCharacters = 1_000

/** Answers the calls of one run, keeps them, and tells the follower of the run when each begins and ends. */
export function followCalls(followed: FollowedCalls): AnswerCall {
  const { answerCall, follower, calls, run, log, onRefused } = followed
  const nothing = () => undefined
  return async call => {
    run.checkLease?.()
    if (follower === null && calls.isFull)
      return answerCall({ ...call, run, log, onRunBegun: nothing, onRefused })

    const begun = { id: call.id, name: nameCall(call), at: new Date() }
    const startedAt = performance.now()
    let error: string | null = null
    let runId: string | null = null
    const kept = calls.begin(begun.name)
    follower?.onCallBegun?.(begun)
    try {
      return await answerCall({
        ...call,
        run,
        log,
        onRunBegun(started: Run) {
          if (runId !== null) return
          runId = started.id
          kept?.noteRun(runId)
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
      const durationMs = toTenths(performance.now() - startedAt)
      const ended = {
        ...begun,
        at: new Date(),
        durationMs,
        error: error && cutText(error, maxErrorCharacters),
        runId,
      }
      if (!run.signal.aborted) {
        kept?.end(durationMs, error)
        follower?.onCallEnded?.(ended)
      }
    }
  }
}
