import { html, nothing } from 'lit'
import { readSession } from '../gateway/session.ts'
import { formatMs, printTrigger } from '../results/print.ts'
import { viewText } from '../shell/view-text.ts'
import { viewExactTime } from '../time/view-time.ts'
import type { KeptRun, RunLink } from './run-documents.ts'
import { timeInCalls } from './timeline.ts'

/** Shows what ran the run, for what and when. */
export function viewFacts(run: KeptRun, replays: readonly RunLink[]) {
  const { trigger, event, byUserId, txnID, startedAt, attempt, dryRun, parent } = run
  const transaction = html`<a class="id" href="/runs?text=${txnID}">${txnID}</a>`
  return html`<dl class="facts">
    ${viewFact('Function', viewFunction(run))} ${viewFact('Trigger', printTrigger(trigger, event))}
    ${viewFact('Case', viewCase(run))}
    ${viewFact('User', viewUser(byUserId))}
    ${viewFact('Started', viewExactTime(startedAt))} ${viewFact('Duration', describeDuration(run))}
    ${viewFact('Attempt', attempt > 1 ? attempt : null)}
    ${viewFact('Dry run', dryRun ? 'yes: it could change nothing' : null)}
    ${viewFact('Inside', parent === null ? null : viewLink(parent))}
    ${viewFact('Replay of', run.replayOf === null ? null : viewLink(run.replayOf))}
    ${viewFact('Replays', replays.length === 0 ? null : replays.map(replay => html`${viewLink(replay)} `))}
    ${viewFact('Transaction', transaction)}
    ${viewFact('Run', html`<span class="id">${run.id}</span>`)}
  </dl>`
}

function viewCase({ caseId, caseVersion }: KeptRun) {
  if (caseId === null) return null
  return html`<a href="/cases/${caseId}">${caseId}</a>${caseVersion === null ? '' : ` at version ${caseVersion}`}`
}

function viewUser(byUserId: string | null) {
  if (byUserId === null) return null
  const link = html`<a href="/members?user=${byUserId}">${byUserId}</a>`
  return byUserId === readSession()?.userId ? html`${link} (you)` : link
}

function viewFact(name: string, value: unknown) {
  return value === null ? nothing : html`<div><dt>${name}</dt><dd>${value}</dd></div>`
}

function viewFunction({ function: own, functionVersion }: KeptRun) {
  if (functionVersion === null) return 'none: the script came with the request'
  const version = html`<code>${functionVersion.slice(0, 8)}</code>`
  if (!own) return html`version ${version}`
  if (own.createdAt === null) return html`${own.name}, version ${version} (the function was removed)`
  const state = own.live.hash === functionVersion ? 'live' : 'not live any more'
  const path = `/functions/${own.id}`
  return html`<a href=${path}>${own.name}</a>, version
    <a href="${path}?version=${functionVersion}">${version}</a> (${state})`
}

/** The last 8 characters of the id of a run. Its first ones are its time, which other runs share. */
export function shortId(id: string): string {
  return id.slice(-8)
}

function viewLink({ id, name }: RunLink) {
  return html`<a href="/runs/${id}"><bdi>${viewText(name)}</bdi> <span class="id">${shortId(id)}</span></a>`
}

function describeDuration({ durationMs, calls }: KeptRun): string | null {
  if (durationMs === null) return null
  if (calls.length === 0) return formatMs(durationMs)
  const inCalls = timeInCalls({ calls, durationMs })
  return `${formatMs(durationMs)}: script ${formatMs(durationMs - inCalls)}, calls ${formatMs(inCalls)}`
}
