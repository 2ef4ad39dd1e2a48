import type { Section } from './section.ts'
import { lists } from './sections/lists.ts'
import { reads } from './sections/reads.ts'
import { rest } from './sections/rest.ts'
import { scripts } from './sections/scripts.ts'
import { writes } from './sections/writes.ts'

/** All sections, in the order in which they run. */
export const sections = { reads, rest, lists, writes, scripts } satisfies Record<string, Section>

export type SectionName = keyof typeof sections

export const sectionNames = Object.keys(sections) as SectionName[]
