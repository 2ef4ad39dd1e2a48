import type { Section } from './section.ts'
import { reads } from './sections/reads.ts'

/** All sections, in the order in which they run. */
export const sections = { reads } satisfies Record<string, Section>

export type SectionName = keyof typeof sections

export const sectionNames = Object.keys(sections) as SectionName[]
