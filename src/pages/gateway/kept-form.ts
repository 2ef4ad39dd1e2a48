import { currentSession, forget, keep, ownerOf, readKept } from './session.ts'

type Texts = readonly (readonly [field: string, text: string])[]

// Another person may sign in in this tab, and sees only what is theirs.
const keyOf = (name: string) => `rostrum.form.${name}.${ownerOf(currentSession())}`

// By key: forms that the browser has no room for. Each function is true while its form has what could not be kept.
const unkept = new Map<string, () => boolean>()

// The browser asks before it leaves a page that alone has what was typed.
addEventListener('beforeunload', event => {
  if ([...unkept.values()].some(hasText => hasText())) event.preventDefault()
})

/**
 * Keeps in this tab what a form has when it sends `input`, so that signing in again does not lose it. A secret is not
 * kept.
 */
export function keepForm(name: string, { currentTarget }: Event): void {
  const form = currentTarget as HTMLFormElement
  const read = () => JSON.stringify([...new FormData(form)].filter(([field]) => field !== 'secret'))
  const text = read()
  // What was kept before is older.
  forgetForm(name)
  if (!keep(keyOf(name), text)) unkept.set(keyOf(name), () => read() === text)
}

/** Returns what this person typed in a form and did not send; empty without it. */
export function readForm(name: string): Texts {
  return JSON.parse(readKept(keyOf(name)) ?? '[]') as Texts
}

/** Fills a form with what this person typed in it and did not send. */
export function fillForm(name: string, form: HTMLFormElement): void {
  for (const [field, text] of readForm(name))
    for (const element of form.querySelectorAll<HTMLInputElement>(`[name="${field}"]`))
      if (element.type !== 'checkbox') element.value = text
      else if (element.value === text) element.checked = true
}

export function forgetForm(name: string): void {
  forget(keyOf(name))
  unkept.delete(keyOf(name))
}
