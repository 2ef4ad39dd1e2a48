import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer as HttpAnswer, sendRequest } from '../../server/clients/send-request.ts'
import type { MembershipBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { untilListening } from '../replicas/until-listening.ts'
import type { Outcome } from './history.ts'
import type { Answer, Request } from './operation.ts'

export interface SendOperation {
  readonly baseUrls: readonly string[]
  readonly token: string
  readonly id: number | null
  readonly request: Request
  /**
   * Set: sent again, to the next gateway, under this `Idempotency-Key`, until it is answered or `giveUpMs` are over.
   */
  readonly key: string | null
  readonly giveUpMs: number
  readonly onRefusal: (problem: ProblemBody) => void
  readonly onRetry: () => void
}

type Body = MembershipBody & ProblemBody

/** Sends one operation over REST and reads what became of it. */
export async function sendOperation(operation: SendOperation): Promise<Outcome> {
  const { baseUrls, key, giveUpMs } = operation
  const giveUpAt = performance.now() + giveUpMs
  // What an earlier attempt may have done, a later one that was refused has not undone.
  let isUnknown = false
  for (let attempt = 0; ; attempt += 1) {
    const baseUrl = baseUrls[attempt % baseUrls.length] ?? ''
    const outcome = await sendOnce(baseUrl, operation)
    if (outcome.kind === 'answered') return outcome
    isUnknown ||= outcome.kind === 'unknown'
    if (key === null || performance.now() > giveUpAt) return { kind: isUnknown ? 'unknown' : 'refused' }
    operation.onRetry()
    await sleep(50)
    // With others to ask there may be one that listens already.
    if (outcome.kind === 'refused' && baseUrls.length === 1) await untilListening(baseUrl)
  }
}

async function sendOnce(baseUrl: string, operation: SendOperation): Promise<Outcome> {
  const { id, request, token, key } = operation
  const headers = {
    ...(key !== null && request.kind !== 'read' && { 'idempotency-key': key }),
    ...(request.kind === 'move' && request.ifVersion !== null && { 'if-match': `"${request.ifVersion}"` }),
  }
  const url = `${baseUrl}/platform/team_memberships${id === null ? '' : `/${id}`}`
  try {
    const answer = await sendRequest<Body>({ url, token, headers, ...toHttp(request) })
    return readOutcome(answer, operation)
  } catch (error) {
    return { kind: wasSent(error) ? 'unknown' : 'refused' }
  }
}

function wasSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return !(cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')
}

function toHttp(request: Request) {
  switch (request.kind) {
    case 'add':
      return { method: 'POST', body: toBody(request.pair) }
    case 'move':
      return { method: 'PUT', body: toBody(request.change) }
    case 'remove':
      return { method: 'DELETE' }
    case 'read':
      return { method: 'GET' }
    default:
      return request satisfies never
  }
}

function toBody({ userId, teamId }: { readonly userId?: number; readonly teamId?: number }) {
  return { team_membership: { user_id: userId, team_id: teamId } }
}

function readOutcome({ status, headers, body }: HttpAnswer<Body>, operation: SendOperation): Outcome {
  const answered = (answer: Answer): Outcome => ({
    kind: 'answered',
    id: body?.team_membership?.id ?? operation.id ?? 0,
    answer,
  })
  switch (status) {
    case 200:
    case 201: {
      const { user_id: userId, team_id: teamId } = body.team_membership
      const version = Number(headers.get('etag')?.replaceAll('"', ''))
      return answered({ kind: 'row', row: { pair: { userId, teamId }, version } })
    }
    case 204:
      return answered({ kind: 'removed' })
    case 404:
      return answered({ kind: 'missing' })
    case 412:
      return answered({ kind: 'stale' })
    default:
      operation.onRefusal(body)
      return { kind: isNothingDone(body) ? 'refused' : 'unknown' }
  }
}

function isNothingDone({ code, detail }: ProblemBody): boolean {
  return code === 'OVERLOADED' || /nothing (of this )?was changed|kept nothing of this change/.test(detail)
}
