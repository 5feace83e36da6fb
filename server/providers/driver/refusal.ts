/** Refusals: why a provider did not do what a request asked for, as its driver has read it from the answer. */

/**
 * What a refusal is about. The same request is refused again until somebody changes this.
 * `credentials`: the provider does not accept them. `rights`: they do not allow this kind of request. `account`: the account is not
 * activated, or is restricted. `amount`: the provider does not accept this amount. `order`: only this order, or its buyer, is refused, such
 * as a refund of a disputed payment. `request`: the provider does not accept a request of this form.
 */
export type Refusal = 'credentials' | 'rights' | 'account' | 'amount' | 'order' | 'request'

/** A refusal of all requests of the account, or of all requests of one kind. */
export type AccountRefusal = Extract<Refusal, 'credentials' | 'rights' | 'account'>

/**
 * Thrown for a request that the provider refused because of the account, whatever the request was about. The provider has done
 * nothing. The message is for the operator, and quotes nothing private.
 */
export class AccountRefusedError extends Error {
  override name = 'AccountRefusedError' as const
  readonly refusal: AccountRefusal
  /**
   * Whether the call has sent only reads, so that it cannot have changed anything at the provider. It becomes false if the call sent a
   * write before the refused request. The errors of ProviderHttp have this member too.
   */
  readonly onlyRead: boolean = true

  constructor(refusal: AccountRefusal, message: string) {
    super(message)
    this.refusal = refusal
  }
}

/**
 * Thrown for a request that the provider rejected only for the moment: too many requests, or another request has locked the object. The
 * provider has certainly done nothing, and the same request may be sent again. `message`: the provider's words, with nothing private.
 * `retryAfterMs`: how long the provider wants us to wait; null if it does not say.
 */
export class RetryLaterError extends Error {
  override name = 'RetryLaterError' as const
  readonly retryAfterMs: number | null
  readonly onlyRead: boolean = true

  constructor(message: string, headers: Record<string, string> = {}) {
    super(message)
    this.retryAfterMs = retryAfterOf(headers)
  }
}

/** Reads `Retry-After`: seconds, or a time by the provider's own clock. Header names are in lower case. */
function retryAfterOf({ 'retry-after': value = '', date = '' }: Record<string, string>): number | null {
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const ms = Date.parse(value) - Date.parse(date)
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/**
 * Thrown for a complete answer that the driver does not understand, or that is about another object than the request. If the request
 * was a write, its outcome is unknown.
 */
export class UnreadableError extends Error {
  override name: 'UnreadableError' | 'NotOursError' = 'UnreadableError'
}

/** Thrown if our reference belongs to somebody else's order at the provider. After a restore the service opens the order under another one. */
export class NotOursError extends UnreadableError {
  override name = 'NotOursError' as const
}
