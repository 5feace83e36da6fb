/** Settings that mean the same at every card provider. A driver adds them to its own. */
import { z } from 'zod'

/** `renewals`: whether subscriptions work if the setting is not set, and what the operator has to know first. */
export function workSettings(renewals: { default: 'enabled' | 'disabled'; description: string }) {
  return {
    STEPS: z
      .enum(['one', 'two'])
      .default('one')
      .describe(
        'With `one` a buyer has paid at once. With `two` the payment is authorized first and captured later.',
      ),
    OPERATIONS: z
      .enum(['enabled', 'disabled', 'not_configured'])
      .default('enabled')
      .describe(
        'Whether refunds, captures, voids, saved methods, subscriptions and receipts work. With `disabled` a request for one gets 409, with `not_configured` 501.',
      ),
    RENEWALS: z.enum(['enabled', 'disabled']).default(renewals.default).describe(renewals.description),
  }
}

export const RENEWALS_ENABLED = {
  default: 'enabled',
  description:
    'Whether failed renewals are tried again as `DUNNING_DELAYS` says. With `disabled` the route takes no subscriptions.',
} as const
