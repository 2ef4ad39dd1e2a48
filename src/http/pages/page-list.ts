/** A page that the browser renders: one document and one module. */
export interface PageEntry {
  /** Its paths, as routes. */
  readonly paths: readonly string[]
  readonly title: string
  /** The custom element in its `main`. The module `src/pages/<module>` defines it. */
  readonly element: string
  readonly module: string
  /** Its own style sheet, in `src/pages/`, after the one of all pages. */
  readonly style?: string
}

/** Every page. None holds data: what a person sees comes from the gateway's API, with the token of the tab. */
export const pageList: readonly PageEntry[] = [
  {
    paths: ['/'],
    title: 'Rostrum',
    element: 'front-page',
    module: 'front/front-page.ts',
    style: 'front/front.css',
  },
  { paths: ['/login'], title: 'Sign in', element: 'login-page', module: 'login/login-page.ts' },
  {
    paths: ['/playground'],
    title: 'Playground',
    element: 'playground-page',
    module: 'playground/playground-page.ts',
    style: 'playground/playground.css',
  },
  {
    paths: ['/functions'],
    title: 'Functions',
    element: 'functions-page',
    module: 'functions/functions-page.ts',
    style: 'functions/functions.css',
  },
  {
    paths: ['/functions/:id'],
    title: 'Function',
    element: 'function-page',
    module: 'functions/function-page.ts',
    style: 'functions/functions.css',
  },
  {
    paths: ['/runs'],
    title: 'Runs',
    element: 'runs-page',
    module: 'runs/runs-page.ts',
    style: 'runs/runs.css',
  },
  {
    paths: ['/runs/:id'],
    title: 'Run',
    element: 'run-page',
    module: 'run/run-page.ts',
    style: 'run/run.css',
  },
  {
    paths: ['/cases'],
    title: 'Cases',
    element: 'cases-page',
    module: 'cases/cases-page.ts',
    style: 'cases/cases.css',
  },
  {
    paths: ['/cases/:id'],
    title: 'Case',
    element: 'case-page',
    module: 'cases/case-page.ts',
    style: 'cases/cases.css',
  },
  {
    paths: ['/members'],
    title: 'Members',
    element: 'members-page',
    module: 'members/members-page.ts',
    style: 'members/members.css',
  },
]
