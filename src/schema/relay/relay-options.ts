import { pageSize } from './page-size.ts'

const describe = (description: string) => ({ description })

/** Only connections follow Relay: ids are not global, and there is no `node` field. */
export const relayOptions = {
  clientMutationId: 'omit',
  cursorType: 'String',
  nodeQueryOptions: false,
  nodesQueryOptions: false,
  nodesOnConnection: describe('Items of the page.'),
  edgesFieldOptions: describe('Items of the page with their cursors.'),
  nodeFieldOptions: describe('The item.'),
  cursorFieldOptions: describe('Position of the item, to be used as `after` or `before`.'),
  pageInfoFieldOptions: describe('Neighbours and cursors of the page.'),
  pageInfoTypeOptions: describe('Neighbours and cursors of a page.'),
  hasNextPageFieldOptions: describe('True if items follow after the page.'),
  hasPreviousPageFieldOptions: describe('True if items come before the page.'),
  startCursorFieldOptions: describe('Cursor of the first item; null if the page is empty.'),
  endCursorFieldOptions: describe('Cursor of the last item; null if the page is empty.'),
  firstArgOptions: describe(`Page size: ${pageSize.byDefault} by default, at most ${pageSize.max}.`),
  lastArgOptions: describe(`Page size, counted from the end; at most ${pageSize.max}. Replaces \`first\`.`),
  afterArgOptions: describe('Only items after this cursor.'),
  beforeArgOptions: describe('Only items before this cursor.'),
} as const
