/** Matches one key: visible ASCII without a comma, because a comma joins several headers or list items. */
export const keyPattern = /^[!-+\--~]{1,255}$/
