import { html } from 'lit'

const seconds = { day: 86_400, hour: 3_600, minute: 60 } as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

/** Shows how long ago a time was; the exact time is in its title. */
export function viewTime(iso: string) {
  const at = new Date(iso)
  return html`<time datetime=${iso} title=${at.toLocaleString()}>${describe(at)}</time>`
}

function describe(at: Date): string {
  const ago = Math.max(0, (Date.now() - at.getTime()) / 1_000)
  if (ago < 5) return 'just now'
  if (ago < seconds.minute) return `${Math.floor(ago)} s ago`
  if (ago < seconds.hour) return relative.format(-Math.floor(ago / seconds.minute), 'minute')
  if (ago < seconds.day) return relative.format(-Math.floor(ago / seconds.hour), 'hour')
  return ago < 30 * seconds.day
    ? relative.format(-Math.floor(ago / seconds.day), 'day')
    : at.toLocaleDateString()
}
