/** What a provider's answer to a request says if the provider did not do what was asked for. */

/**
 * What a refusal is about. The same request is refused again until somebody changes this.
 * `credentials`: the provider does not accept them. `rights`: they do not allow this kind of request. `account`: the account is not
 * activated, or is restricted. `amount`: the provider takes no such amount. `order`: only this order, or its buyer, is refused, such
 * as a refund of a disputed payment. `request`: the provider does not accept a request of this form.
 */
export type Refusal = 'credentials' | 'rights' | 'account' | 'amount' | 'order' | 'request'

/** A refusal that every request of the account meets, or every request of one kind. */
export type AccountRefusal = Extract<Refusal, 'credentials' | 'rights' | 'account'>

/**
 * Thrown for a request that the provider refused because of the account, whatever the request was about. The provider has done
 * nothing. The message is for the operator, and quotes nothing private.
 */
export class AccountRefusedError extends Error {
  override name = 'AccountRefusedError' as const
  readonly refusal: AccountRefusal
  /**
   * The errors of ProviderHttp have this member too: the call cannot have changed anything at the provider. It becomes false if a write
   * came before the request that was refused.
   */
  readonly onlyRead: boolean = true

  constructor(refusal: AccountRefusal, message: string) {
    super(message)
    this.refusal = refusal
  }
}

/**
 * Thrown for a request that the provider did not take for the moment, because it is asked too often or is busy with the same object.
 * It has certainly done nothing, and the same request may be sent again. `message`: the provider's words, with nothing private.
 * `retryAfterMs`: how long the provider wants us to wait; null if it does not say.
 */
export class NotTakenError extends Error {
  override name = 'NotTakenError' as const
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
 * Thrown for a complete answer that the driver does not understand, or that is about something else than was asked for. After a
 * write the outcome is unknown.
 */
export class UnreadableError extends Error {
  override name: 'UnreadableError' | 'NotOursError' = 'UnreadableError'
}

/** Thrown if the provider has the reference for an order that is certainly not ours. After a restore another reference is taken. */
export class NotOursError extends UnreadableError {
  override name = 'NotOursError' as const
}
