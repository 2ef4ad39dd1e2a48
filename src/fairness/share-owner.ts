/**
 * Whose limit a place, turn, call or byte counts toward: an account, by its code, or a part of the gateway. A part of
 * the gateway is a symbol, so that no account code can equal it.
 */
export type ShareOwner = string | symbol
