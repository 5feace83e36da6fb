/**
 * What happens when a provider refuses a request and a repetition does not help. The caller learns that waiting does not help, and
 * the operator learns what has to change.
 * Rule: the provider's reason is for the operator. A merchant reads our own words, without the provider's and without a setting.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type {
  AccountRefusal,
  AccountRefusedError,
  Refusal,
  RetryLaterError,
} from '../providers/driver/refusal.ts'
import type { ProviderRight } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'
import { updateAccountRefusal } from '../storage/accounts/accounts.ts'
import { isDenied, noteRight } from './facts.ts'
import { noteUnwell, noteWell, recallHealth } from './health.ts'

/** What was refused, in the operator's words. */
export type Refused = { refusal: Refusal; message: string }

/** The last refusal of an account is stored at most this often. */
export const REFUSAL_STORED_EVERY_MS = 60_000

const WORDS: Record<Refusal, string> = {
  credentials: 'the payment provider does not accept this account',
  rights: 'the payment provider does not allow this account to do this',
  account: 'the payment provider has not activated this account, or has restricted it',
  amount: 'the payment provider does not accept this amount',
  order: 'the payment provider does not do this with this payment',
  request: 'the payment provider does not accept this request',
}

/** Whether the account cannot be used at all, so that a further try fails too. */
export function isOfAccount<Given extends { refusal?: Refusal }>(
  given: Given,
): given is Given & { refusal: AccountRefusal } {
  const { refusal } = given
  return refusal === 'credentials' || refusal === 'rights' || refusal === 'account'
}

/** Returns why the provider refused, in words that a merchant may read. */
export function describeRefusal(refusal: Refusal): string {
  return WORDS[refusal]
}

/** Returns the refusal in a driver's result or in the error that it threw; null if there is none. */
export function refusalIn(outcome: unknown): Refused | null {
  const given = (outcome ?? {}) as Partial<Refused> & { kind?: unknown; name?: unknown }
  const { kind, name, refusal, message } = given
  const isRefused =
    kind === 'refused' || name === ('AccountRefusedError' satisfies AccountRefusedError['name'])
  return isRefused && refusal && message !== undefined ? { refusal, message } : null
}

/** Returns the error if the provider rejected the request only for the moment, and so did nothing; null for any other error. */
export function retryLaterIn(error: unknown): Pick<RetryLaterError, 'message' | 'retryAfterMs'> | null {
  const isLater =
    error instanceof Error && error.name === ('RetryLaterError' satisfies RetryLaterError['name'])
  return isLater ? (error as RetryLaterError) : null
}

/** The errors of parsers, and of drivers that do not understand an answer. An answer of the other mode has a warning of its own. */
const UNREADABLE = ['ZodError', 'SyntaxError', 'UnreadableError', 'NotOursError']

/** Whether the provider has answered completely, and nobody understands the answer. */
export function unreadableIn(error: unknown): boolean {
  return error instanceof Error && UNREADABLE.includes(error.name)
}

/** Whether the provider has the reference for an order that is certainly not ours. */
export const isNotOurs = (error: unknown): boolean => error instanceof Error && error.name === 'NotOursError'

/** Names the payment or the saved method that a call is about, for the log. */
export function idOf(about: string | null): { paymentId?: string; savedMethodId?: string } {
  if (about === null) return {}
  return about.startsWith('pay_') ? { paymentId: about } : { savedMethodId: about }
}

/**
 * What a call was about, for what its answer shows of the account. `right`: what it needed; null for a question. `isTaking`: it was to
 * take money that a buyer has approved or a bank holds.
 */
export type CallPurpose = { right: ProviderRight | null; isTaking: boolean }

/**
 * The only place where a refusal is noted, whichever call met it: in the log and at the account. A refused order or amount says
 * nothing about the account. Without the right to do one thing the account can still do all others.
 */
export async function noteRefusal(
  ctx: Context,
  account: Pick<Account, 'id' | 'driver'>,
  { refusal, message, about, right, isTaking }: Refused & CallPurpose & { about: string | null },
): Promise<void> {
  const { id } = account
  if (refusal === 'order') return
  ctx.log.warn(
    { accountId: id, ...idOf(about), refusal, reason: message },
    'the provider refused a request, and a repetition does not help',
  )
  if (refusal === 'amount') return
  const now = ctx.clock.now()
  const known = ctx.accounts.recall()?.byId.get(id)?.record.refusedAt
  if (!known || known.getTime() <= now.getTime() - REFUSAL_STORED_EVERY_MS)
    await updateAccountRefusal(ctx.db, { id, refusedAt: now, refusedReason: message })
  if (refusal === 'request') return
  const isOfOneRight = refusal === 'rights' && right !== null && right !== 'payment'
  if (isOfOneRight)
    return noteRight(ctx, account, { right, granted: false, reason: message, source: 'answer' })
  const refusedTaking = isTaking && account.driver.finalize !== undefined
  await noteUnwell(ctx, id, { state: 'refusing', refusal, reason: message, refusedTaking })
}

/**
 * A provider that has answered a request is there, accepts the credentials, and allows what the request needed. Where an approval is
 * not payment yet, a provider that refuses to take money may still open orders.
 */
export async function noteAnswer(
  ctx: Context,
  { id }: Pick<Account, 'id'>,
  { right, isTaking }: CallPurpose,
): Promise<void> {
  const { state, refusal, refusedTaking } = recallHealth(ctx, id)
  const isAccepted = refusal === 'credentials' || (refusedTaking ? isTaking : right === 'payment' || isTaking)
  if (state === 'away' || (state === 'refusing' && isAccepted)) await noteWell(ctx, id)
  if (right !== null && isDenied(ctx, { id }, right))
    await noteRight(ctx, { id }, { right, granted: true, reason: 'The provider did it.', source: 'answer' })
}

/** Returns the error for a payment that the provider refuses. `amountField`: the caller's name for the amount. */
export function refusedPayment(
  paymentId: string,
  { refusal, message }: Refused,
  amountField: string,
): AppError {
  const cause = new Error(message)
  const about = { paymentId }
  if (refusal === 'amount')
    return new AppError('validation_failed', {
      errors: { [amountField]: 'is not an amount that the payment provider takes in this currency' },
      cause,
      about,
    })
  if (isOfAccount({ refusal })) return refusedAccount(cause, about)
  return new AppError('provider_unavailable', {
    message: 'The payment provider does not accept this payment.',
    hint: 'Ask whoever runs your payment service, and name the request id.',
    retryable: false,
    cause,
    about,
  })
}

/** Returns the error for a payment whose account the provider refuses. `cause`: for the operator. */
export function refusedAccount(cause: Error, about?: { paymentId: string }): AppError {
  return new AppError('provider_unavailable', {
    message: 'The payment provider does not accept the account that takes your payments.',
    hint: 'Ask whoever runs your payment service. Once the account is in order, send the request again with the same key.',
    retryable: false,
    cause,
    ...(about && { about }),
  })
}
