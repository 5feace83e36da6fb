/** How a check after a restore ends. */

/**
 * `done`: the provider has said how everything stands. `never`: it cannot be asked, so a person compares. `later`: it did not answer.
 */
export type Checked = { kind: 'done' } | { kind: 'never' | 'later'; problem: string }
export const DONE: Checked = { kind: 'done' }

export const MISSING_FROM_BACKUP =
  'this provider tells the results of refunds and captures only once, in callbacks, and those since the backup are lost: compare with its records'

export const NEVER_FOUND: Checked = {
  kind: 'never',
  problem:
    "this provider finds an order only by its own id or its number, and those given out since the backup are lost: compare with the provider's records",
}
