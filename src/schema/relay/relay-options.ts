import { pageSize } from './page-size.ts'

const describe = (description: string) => ({ description })

/** Connections alone are Relay's: ids are no global ids, and there is no `node` field. */
export const relayOptions = {
  clientMutationId: 'omit',
  cursorType: 'String',
  nodeQueryOptions: false,
  nodesQueryOptions: false,
  nodesOnConnection: describe('The items of the page.'),
  edgesFieldOptions: describe('The items of the page with their cursors.'),
  nodeFieldOptions: describe('The item.'),
  cursorFieldOptions: describe('The place of the item; a page can begin or end beside it.'),
  pageInfoFieldOptions: describe('Where the page lies in the whole.'),
  pageInfoTypeOptions: describe('Where a page lies in the whole.'),
  hasNextPageFieldOptions: describe('Whether there is more after the page.'),
  hasPreviousPageFieldOptions: describe('Whether there is more before the page.'),
  startCursorFieldOptions: describe('Cursor of the first item; null for an empty page.'),
  endCursorFieldOptions: describe('Cursor of the last item; null for an empty page.'),
  firstArgOptions: describe(
    `How many, from the start; ${pageSize.byDefault} unless told, at most ${pageSize.most}.`,
  ),
  lastArgOptions: describe(`How many, from the end, instead of \`first\`; at most ${pageSize.most}.`),
  afterArgOptions: describe('Only what comes after this cursor.'),
  beforeArgOptions: describe('Only what comes before this cursor.'),
} as const
