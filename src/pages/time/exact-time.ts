/**
 * The language of dates and times, as the pages are in English whatever the browser prefers. A month has its name and a
 * day 24 hours, so that no date is read in two ways. The time zone is that of the browser.
 */
export const timeLanguage = 'en-GB'

const exact = new Intl.DateTimeFormat(timeLanguage, { dateStyle: 'medium', timeStyle: 'long' })

/** Prints a time with its date and zone. */
export function printExactTime(at: Date): string {
  return exact.format(at)
}
