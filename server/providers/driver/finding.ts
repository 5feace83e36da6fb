/** What a check of an account has found. */

/**
 * One result of `check`, in plain words for the operator. `refusal`: because of this the provider takes no payments of the account.
 * `right`: the finding says whether the provider allows the account to do this.
 */
export type Finding = {
  ok: boolean
  message: string
  refusal?: 'credentials' | 'rights' | 'account'
  right?: ProviderRight
}

/** What a provider can allow an account to do, or not. `payment`: to take money. */
export const PROVIDER_RIGHTS = [
  'payment',
  'refund',
  'partial_refund',
  'capture',
  'void',
  'tokenization',
  'subscriptions',
] as const
export type ProviderRight = (typeof PROVIDER_RIGHTS)[number]
