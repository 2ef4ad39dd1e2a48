/**
 * True with `HOSTILE=all`, as in the nightly run. Then each script goes through both doors and every attack is made.
 * Otherwise a script goes through one door, and attacks and signals that resemble others are left out.
 */
export const isWhole = process.env.HOSTILE === 'all'
