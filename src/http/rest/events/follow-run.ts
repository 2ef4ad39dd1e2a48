import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../../graphql/engine.ts'
import type { UnreadAnswers } from '../../edge/unread-answers.ts'
import { type ExecutionBody, RunEvents } from './run-events.ts'
import { sendRunEvents } from './send-run-events.ts'

interface FollowedRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly unread: UnreadAnswers
  /** Executes the operation, whose one run is followed. */
  execute(): Answer | Promise<Answer>
  readBody(answer: Answer): ExecutionBody
}

/**
 * Executes the operation of a request and answers with the events of its run, once the run can no longer be refused.
 * Returns the answer of an operation that was refused before, for a problem document; else null.
 */
export async function followRun(followed: FollowedRequest): Promise<Answer | null> {
  const { request, reply, unread, execute, readBody } = followed
  const { state, raw } = request
  const { accountCode } = state.checkedIdentity.caller
  const cut = () => {
    if (!raw.socket.destroyed)
      state.log.warn({}, 'the events of a run were not read in time; its connection is closed')
    raw.socket.destroy()
  }
  const events = new RunEvents({ accountCode, unread, cut })
  state.atEnd(() => events.drop())
  state.follower = events
  const executing = Promise.resolve(execute())
  const refused = await Promise.race([events.begun.then(() => null), executing])
  if (refused !== null && refused.failures.length > 0) return refused
  executing.then(
    answer => {
      // The status is sent already, so that only a broken connection says that this gateway failed.
      if (answer.failures.length > 0) raw.socket.destroy()
      else events.end(readBody(answer))
    },
    () => raw.socket.destroy(),
  )
  await sendRunEvents({ request, reply, events })
  return null
}
