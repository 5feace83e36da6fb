/**
 * What a call by a stranger may cost: somebody without a token and without a cookie, who may know the address of a payment's page,
 * a public key or a callback address. Every endpoint and page declares it, and `http/stranger-costs.test.ts` measures it. The
 * processor time is not a number: it may grow in proportion to what was sent, and `http/growth.suite.ts` holds that.
 */

/**
 * `statements`: sent to the database. `provider`: requests to a provider. `lines`: of the log at level info. `rows`: added to tables.
 */
export type Cost = { statements: number; provider: number; lines: number; rows: number }

export type StrangerCost = {
  /** The largest body that is read, in bytes. 0: the response does not wait for a body. */
  body: number
  /** The same for an id that does not exist, if it is less. */
  bodyOfUnknown?: number
  /** The most that a single call costs. */
  once: Cost
  /** The average of further calls after many of one address. */
  flood: Cost
}

export function cost(statements: number, { provider = 0, lines = 0, rows = 0 } = {}): Cost {
  return { statements, provider, lines, rows }
}

export const FREE = cost(0)

/** An endpoint with a token. An unknown token costs a look-up, until its address has sent too many. */
export const WITHOUT_TOKEN: StrangerCost = { body: 0, once: cost(1, { lines: 1 }), flood: FREE }
