/** Refusals that a repetition does not change: the same request fails until somebody changes something. */

/**
 * Why a provider refuses. `credentials`: it does not accept them. `rights`: they do not allow this request. `account`: the account
 * is not activated, or is restricted. `amount`: it takes no such amount. `request`: anything else about this request.
 */
export type Refusal = 'credentials' | 'rights' | 'account' | 'amount' | 'request'

/**
 * Thrown for a request that the provider refused because of the account, whatever the request was about. The provider has done
 * nothing. The message is for the operator, and quotes nothing private.
 */
export class AccountRefusedError extends Error {
  override name = 'AccountRefusedError' as const
  readonly refusal: 'credentials' | 'rights' | 'account'
  /** The errors of ProviderHttp have this member too: the call cannot have changed anything at the provider. */
  readonly onlyRead = true

  constructor(refusal: AccountRefusedError['refusal'], message: string) {
    super(message)
    this.refusal = refusal
  }
}
