/** What a check of an account has found. */

/**
 * One result of `check`, in plain words for the operator. `unknown`: the provider does not tell, so nobody should rely on it.
 * `refusal`: what the finding is about. A problem of this kind is why the provider takes no payments of the account, and `ok` shows
 * that this reason does not exist, or does not exist any more. `right`: whether the provider allows the account to do this.
 */
export type Finding = {
  state: 'ok' | 'problem' | 'unknown'
  message: string
  refusal?: 'credentials' | 'rights' | 'account'
  right?: ProviderRight
}

type About = Pick<Finding, 'refusal' | 'right'>

export const ok = (message: string, about: About = {}): Finding => ({ state: 'ok', message, ...about })
export const problem = (message: string, about: About = {}): Finding => ({
  state: 'problem',
  message,
  ...about,
})
export const unknown = (message: string, about: About = {}): Finding => ({
  state: 'unknown',
  message,
  ...about,
})

/** What a provider can allow an account to do, or not. `payment`: to take money. `withdraw`: to end an order that is not paid. */
const PROVIDER_RIGHTS = [
  'payment',
  'refund',
  'partial_refund',
  'capture',
  'void',
  'tokenization',
  'subscriptions',
  'withdraw',
] as const
export type ProviderRight = (typeof PROVIDER_RIGHTS)[number]

/**
 * Compares the address of a webhook at the provider with ours. Only the path is known for sure: a service can be reached under several
 * names, and the command line may have another `BASE_URL` than the service.
 */
export function judgeAddress(there: string, here: string): Finding {
  if (there === here) return ok(`The webhook leads to ${here}.`)
  if (URL.canParse(there) && new URL(there).pathname.endsWith(new URL(here).pathname))
    return unknown(
      `The webhook leads to ${there}, and BASE_URL says that this address is ${here}. If both reach this service, nothing has to be done.`,
    )
  return problem(`The webhook leads to ${there}. It must lead to ${here}.`)
}
