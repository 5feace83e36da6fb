/** What is at stake in an act on a payment's money, and what is shown of it. */
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { decimalAmount } from '../../payments/money.ts'
import { returnedOf } from '../../payments/return-limits.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { type Fact, type FactName, type FactScene, textFact } from './facts.ts'
import type { ProposalReader, Stake } from './stake.ts'

type Versioned = { version?: number | undefined }
type OfPayment = Versioned & { paymentId: string }

/**
 * `arrivedMinor`: what has arrived, if that is known. It may be more than the payment's amount. `returnsMinor`: what goes back to the
 * buyer.
 */
type Staked<Args> = {
  args: Args
  how: string
  amountMinor?: number | null
  arrivedMinor?: number | undefined
  addsUp?: boolean
  returnsMinor?: number
}

/** The payment's present version is bound to the proposal, so a payment that changes meanwhile is refused. */
export async function stakeOf<Args extends Versioned>(
  ctx: Context,
  paymentId: string,
  { args, how, amountMinor, arrivedMinor = 0, addsUp = false, returnsMinor = 0 }: Staked<Args>,
): Promise<Stake<Args>> {
  const payment = await findPaymentById(ctx.db, paymentId)
  if (!payment) throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
  const { merchantId, currency, version } = payment
  const sum = Math.max(amountMinor ?? payment.amountMinor, arrivedMinor)
  const about = `${paymentId} ${how}, ${decimalAmount(sum, currency)} ${currency}`
  // A repeated act moves nothing, whatever was returned before.
  const isCounted = (addsUp && sum > 0) || returnsMinor > 0
  const beforeMinor = isCounted ? returnedOf(payment, await listEntries(ctx.db, payment)) : 0
  return {
    money: { amountMinor: (addsUp ? beforeMinor : 0) + sum, currency },
    sum: { amountMinor: sum, currency },
    ...(returnsMinor > 0 && { returns: { amountMinor: returnsMinor, beforeMinor } }),
    merchantId,
    about,
    args: { version, ...defined(args) },
  }
}

const defined = <Args extends Versioned>(args: Args): Args =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Args

export async function hasPaymentMoved(
  ctx: ProposalReader,
  { paymentId, version }: OfPayment,
): Promise<boolean> {
  return version !== undefined && (await findPaymentById(ctx.db, paymentId))?.version !== version
}

/** An amount in the currency of the payment. */
export const amountFact =
  <Args extends { paymentId: string }>(name: FactName, minorOf: (args: Args) => number | null | undefined) =>
  async ({ ctx, args }: FactScene<Args>): Promise<Fact[]> => {
    const amountMinor = minorOf(args) ?? null
    const payment = amountMinor === null ? null : await findPaymentById(ctx.db, args.paymentId)
    return payment && amountMinor !== null
      ? [{ name, after: { amountMinor, currency: payment.currency } }]
      : []
  }

export const paymentFact = ({ args }: FactScene<{ paymentId: string }>): Fact[] =>
  textFact('payment', args.paymentId)
export const whyFact = ({ args }: FactScene<{ why?: string | null | undefined }>): Fact[] =>
  textFact('why', args.why)
export const referenceFact = ({ args }: FactScene<{ reference: string }>): Fact[] =>
  textFact('reference', args.reference)

export async function operationFact({ ctx, args }: FactScene<{ operationId: string }>): Promise<Fact[]> {
  const operation = await findOperationById(ctx.db, args.operationId)
  const payment = operation?.paymentId ? await findPaymentById(ctx.db, operation.paymentId) : null
  const amountMinor = operation?.amountMinor ?? null
  return [
    ...textFact('operation', operation ? `${operation.type} ${args.operationId}` : args.operationId),
    ...textFact('payment', payment?.id),
    ...(payment && amountMinor !== null
      ? [{ name: 'amount' as const, after: { amountMinor, currency: payment.currency as CurrencyCode } }]
      : []),
  ]
}
