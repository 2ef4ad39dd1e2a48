import { answerInTime } from '../gateway/answer-in-time.ts'
import { GatewayError, unreachable } from '../gateway/gateway-error.ts'

/** A place in the docs that has every word of a search. */
export interface Found {
  /** With the anchor of its heading. */
  readonly path: string
  readonly page: string
  readonly heading: string
  /** The text around the first word that was found in it. */
  readonly excerpt: string
}

type Section = readonly [id: string, heading: string, text: string]
type Page = readonly [path: string, title: string, sections: readonly Section[]]

/** Finds places by words. */
export type Search = (text: string) => readonly Found[]

const maxFound = 30
const excerptLength = 180

/** Loads the texts of all pages and returns the search over them. Throws a `GatewayError` if they do not come. */
export async function loadSearch(address: string): Promise<Search> {
  const pages = await answerInTime({ isChange: false }, signal => loadPages(address, signal))
  const places = pages.flatMap(([path, page, sections]) =>
    sections.map(([id, heading, text], index) => ({
      path: index === 0 ? path : `${path}#${id}`,
      page,
      heading,
      text,
      title: `${page} ${heading}`.toLowerCase(),
      words: text.toLowerCase(),
    })),
  )
  return text => {
    const words = readWords(text)
    const rate = (place: (typeof places)[number]) => {
      const rates = words.map(word => (place.title.includes(word) ? 2 : place.words.includes(word) ? 1 : 0))
      return rates.includes(0) ? 0 : rates.reduce<number>((sum, rate) => sum + rate, 0)
    }
    return places
      .map(place => ({ place, rate: rate(place) }))
      .filter(({ rate }) => rate > 0)
      .toSorted((one, other) => other.rate - one.rate)
      .slice(0, maxFound)
      .map(({ place }) => ({ ...place, excerpt: cutExcerpt(place.text, words) }))
  }
}

async function loadPages(address: string, signal: AbortSignal): Promise<readonly Page[]> {
  const answer = await fetch(address, { credentials: 'omit', signal }).catch(() => {
    throw unreachable()
  })
  if (!answer.ok) {
    const message = 'The texts of the docs could not be loaded. Try again.'
    throw new GatewayError(message, { code: 'UNKNOWN', status: answer.status })
  }
  return (await answer.json().catch(() => {
    throw unreachable()
  })) as readonly Page[]
}

/** Returns the words of a search, in lower case. */
export function readWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
}

function cutExcerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(place => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = first < 60 ? 0 : text.lastIndexOf(' ', first - 40) + 1
  const end =
    text.length <= start + excerptLength ? text.length : text.lastIndexOf(' ', start + excerptLength)
  const cut = text.slice(start, end > start ? end : start + excerptLength)
  return `${start > 0 ? '… ' : ''}${cut}${start + cut.length < text.length ? ' …' : ''}`
}
