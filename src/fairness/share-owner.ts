/**
 * The owner of a share of places, turns, calls or bytes: an account, by its code, or a part of the gateway. A part is
 * known by the identity of its symbol, so that no account can be named like it.
 */
export type ShareOwner = string | symbol
