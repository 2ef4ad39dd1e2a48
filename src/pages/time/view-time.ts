import { html } from 'lit'
import { live } from 'lit/directives/live.js'
import { printExactTime, timeLanguage } from './exact-time.ts'

const seconds = { day: 86_400, hour: 3_600, minute: 60 } as const
const relative = new Intl.RelativeTimeFormat(timeLanguage, { numeric: 'always', style: 'short' })
const day = new Intl.DateTimeFormat(timeLanguage, { dateStyle: 'medium' })

/** Shows how long ago a time was, as time goes on; the exact time is in its title. */
export function viewTime(iso: string) {
  const at = new Date(iso)
  // The text is a property, because a tick sets it too.
  return html`<time class="ago" datetime=${iso} title=${printExactTime(at)} .textContent=${live(describe(at))}></time>`
}

/** Shows the exact time with its zone, and how long ago it was. */
export function viewExactTime(iso: string) {
  return html`<time datetime=${iso}>${printExactTime(new Date(iso))}</time> (${viewTime(iso)})`
}

function describe(at: Date): string {
  const ago = (Date.now() - at.getTime()) / 1_000
  if (ago <= -seconds.minute) return describeAhead(-ago, at)
  if (ago < 5) return 'just now'
  if (ago < seconds.minute) return `${Math.floor(ago)} s ago`
  if (ago < seconds.hour) return relative.format(-Math.floor(ago / seconds.minute), 'minute')
  if (ago < seconds.day) return relative.format(-Math.floor(ago / seconds.hour), 'hour')
  return ago < 30 * seconds.day ? relative.format(-Math.floor(ago / seconds.day), 'day') : day.format(at)
}

// A clock that is slow must not make all that happened since then the same.
function describeAhead(ahead: number, at: Date): string {
  if (ahead < seconds.hour) return relative.format(Math.floor(ahead / seconds.minute), 'minute')
  return ahead < seconds.day ? relative.format(Math.floor(ahead / seconds.hour), 'hour') : day.format(at)
}

function tick(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time.ago'))
    time.textContent = describe(new Date(time.dateTime))
}

setInterval(tick, seconds.minute * 1_000)
// A hidden page may not have ticked.
document.addEventListener('visibilitychange', tick)
