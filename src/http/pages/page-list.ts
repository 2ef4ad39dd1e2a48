/** A page that the browser renders: one document and one module. */
export interface PageEntry {
  /** Its path, as a route. */
  readonly path: string
  readonly title: string
  /** The module `src/pages/<module>`. It defines a custom element of its own name, which is in the `main`. */
  readonly module: string
  /** Its own style sheet, in `src/pages/`, after the one of all pages. */
  readonly style?: string
}

/** Every page. None holds data: what a person sees comes from the gateway's API, with the token of the tab. */
export const pageList: readonly PageEntry[] = [
  { path: '/', title: 'Rostrum', module: 'front/front-page.ts', style: 'front/front.css' },
  { path: '/login', title: 'Sign in', module: 'login/login-page.ts' },
  {
    path: '/playground',
    title: 'Playground',
    module: 'playground/playground-page.ts',
    style: 'playground/playground.css',
  },
  {
    path: '/functions',
    title: 'Functions',
    module: 'functions/functions-page.ts',
    style: 'functions/functions.css',
  },
  {
    path: '/functions/:id',
    title: 'Function',
    module: 'functions/function-page.ts',
    style: 'functions/functions.css',
  },
  { path: '/runs', title: 'Runs', module: 'runs/runs-page.ts', style: 'runs/runs.css' },
  { path: '/runs/:id', title: 'Run', module: 'run/run-page.ts', style: 'run/run.css' },
  { path: '/cases', title: 'Cases', module: 'cases/cases-page.ts', style: 'cases/cases.css' },
  { path: '/cases/:id', title: 'Case', module: 'cases/case-page.ts', style: 'cases/cases.css' },
  { path: '/members', title: 'Members', module: 'members/members-page.ts', style: 'members/members.css' },
]
