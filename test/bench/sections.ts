import type { Section } from './cases/section.ts'
import { cases } from './sections/cases.ts'
import { documents } from './sections/documents.ts'
import { lists } from './sections/lists.ts'
import { mixed } from './sections/mixed.ts'
import { postgres } from './sections/postgres.ts'
import { queue } from './sections/queue.ts'
import { reads } from './sections/reads.ts'
import { rest } from './sections/rest.ts'
import { scripts } from './sections/scripts.ts'
import { start } from './sections/start.ts'
import { writes } from './sections/writes.ts'

/** All sections, in the order in which they run. */
export const sections = {
  reads,
  rest,
  lists,
  writes,
  postgres,
  scripts,
  cases,
  queue,
  mixed,
  documents,
  start,
} satisfies Record<string, Section>

export type SectionName = keyof typeof sections

export const sectionNames = Object.keys(sections) as SectionName[]
