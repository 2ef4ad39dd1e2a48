import { randomUUIDv7 } from 'node:crypto'

const form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** True for the form of the ids of requests, runs and transactions. A database may refuse to compare other texts. */
export function isGuid(text: string): boolean {
  return form.test(text)
}

/**
 * Returns a new id of a request, run or transaction: a GUID that begins with its time (version 7). So the index of a
 * group of new rows changes in few places. Random ids would change a page of the file for each row.
 */
export function newGuid(): string {
  return randomUUIDv7()
}
