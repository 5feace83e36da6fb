/** The guarded acts on a payment's money. */
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { confirmPayment, type DecidedStatus, resolvePayment } from '../../payments/decisions/payment.ts'
import { isNotedReturn, noteReturn, type Returned } from '../../payments/decisions/returned.ts'
import { decimalAmount } from '../../payments/money.ts'
import { type MoneyOperation, OPERATION_TABLE } from '../../payments/operation.ts'
import { wholeAmount } from '../../payments/operations/money.ts'
import { returnedOf } from '../../payments/return-limits.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { actOnMoney, type MoneyAct, type MoneyActed, planMoneyAct, requestPlanned } from '../acts/money.ts'
import { type Fact, type FactName, type FactScene, textFact, tickFact } from './facts.ts'
import { type Guarded, type Reading, returnerBy, type Stake } from './stake.ts'

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
async function stakeOf<Args extends Versioned>(
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

async function hasPaymentMoved(ctx: Reading, { paymentId, version }: OfPayment): Promise<boolean> {
  return version !== undefined && (await findPaymentById(ctx.db, paymentId))?.version !== version
}

/** An amount in the currency of the payment. */
const amountFact =
  <Args extends { paymentId: string }>(name: FactName, minorOf: (args: Args) => number | null | undefined) =>
  async ({ ctx, args }: FactScene<Args>): Promise<Fact[]> => {
    const amountMinor = minorOf(args) ?? null
    const payment = amountMinor === null ? null : await findPaymentById(ctx.db, args.paymentId)
    return payment && amountMinor !== null
      ? [{ name, after: { amountMinor, currency: payment.currency } }]
      : []
  }

const paymentFact = ({ args }: FactScene<{ paymentId: string }>): Fact[] =>
  textFact('payment', args.paymentId)
const whyFact = ({ args }: FactScene<{ why?: string | null }>): Fact[] => textFact('why', args.why)
const referenceFact = ({ args }: FactScene<{ reference: string }>): Fact[] =>
  textFact('reference', args.reference)

/** A key that a form or a command has made. */
const MADE_KEY = /^(console|refund|capture|void) /

const isSameTransfer = (one: OfPayment & { reference: string }, other: OfPayment & { reference: string }) =>
  one.paymentId === other.paymentId && one.reference === other.reference

/** A repeated act moves no money. Its key is bound, so what is granted twice is done once. */
function moneyRow(type: MoneyOperation, addsUp: boolean): Guarded<MoneyAct, MoneyActed> {
  return {
    addsUp,
    bounded: 'by_day',
    isBound: true,
    async stake(ctx, given) {
      const { args, known, payment } = await planMoneyAct(ctx, type, given)
      const amountMinor = known ? 0 : (args.amountMinor ?? wholeAmount(type, payment))
      const returnsMinor = known ? 0 : OPERATION_TABLE[type].returnedBy(payment, amountMinor)
      return stakeOf(ctx, args.paymentId, { args, how: type, amountMinor, addsUp, returnsMinor })
    },
    hasMoved: hasPaymentMoved,
    // Whoever gives a key of their own wants the same once more.
    isSame: (one, other) =>
      one.paymentId === other.paymentId &&
      one.amountMinor === other.amountMinor &&
      (one.key === other.key || MADE_KEY.test(one.key ?? '')),
    shows: {
      paymentId: paymentFact,
      amountMinor: amountFact<MoneyAct>('amount', ({ amountMinor }) => amountMinor),
      why: whyFact,
      key: ({ args }) => textFact('key', args.key),
      version: 'bound',
    },
    run(ctx, { key, ...args }, doer) {
      const returner = returnerBy(doer)
      // A proposal of an early version has no key.
      if (key === undefined) return actOnMoney(ctx, type, args, doer.name, returner)
      return requestPlanned(ctx, type, { ...args, key }, doer.name, returner)
    },
  }
}

type Confirming = OfPayment & {
  reference: string
  amountMinor?: number | undefined
  accepts?: boolean | undefined
}
type Resolving = OfPayment & { as: DecidedStatus; why: string | null; accepts?: number | undefined }
type Returning = OfPayment & Omit<Returned, 'returner'> & { why: string | null }
type Deciding = Versioned & { operationId: string; as: 'succeeded' | 'failed'; why: string | null }

async function operationFact({ ctx, args }: FactScene<Deciding>): Promise<Fact[]> {
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

const confirm: Guarded<Confirming, Awaited<ReturnType<typeof confirmPayment>>> = {
  bounded: 'once',
  stake: (ctx, args) => stakeOf(ctx, args.paymentId, { args, how: 'paid', arrivedMinor: args.amountMinor }),
  hasMoved: hasPaymentMoved,
  isSame: isSameTransfer,
  shows: {
    paymentId: paymentFact,
    amountMinor: amountFact<Confirming>('arrived', ({ amountMinor }) => amountMinor),
    accepts: ({ args }) => tickFact('acceptsOther', args.accepts),
    reference: referenceFact,
    version: 'bound',
  },
  run: (ctx, { paymentId, ...given }, { name: actor }) => confirmPayment(ctx, paymentId, { ...given, actor }),
}

const resolve: Guarded<Resolving, Awaited<ReturnType<typeof resolvePayment>>> = {
  bounded: 'once',
  stake: (ctx, args) => stakeOf(ctx, args.paymentId, { args, how: `as ${args.as}` }),
  hasMoved: hasPaymentMoved,
  shows: {
    paymentId: paymentFact,
    as: ({ args }) => textFact('decision', args.as),
    accepts: amountFact<Resolving>('acceptsSum', ({ accepts }) => accepts),
    why: whyFact,
    version: 'bound',
  },
  run: (ctx, { paymentId, as, ...given }, { name: actor }) =>
    resolvePayment(ctx, paymentId, as, { ...given, actor }),
}

const returned: Guarded<Returning, Awaited<ReturnType<typeof noteReturn>>> = {
  addsUp: true,
  bounded: 'by_day',
  async stake(ctx, args) {
    const { paymentId, amountMinor, reference } = args
    const returnsMinor = (await isNotedReturn(ctx, paymentId, reference)) ? 0 : amountMinor
    const how = 'returned by hand'
    return stakeOf(ctx, paymentId, { args, how, amountMinor, addsUp: true, returnsMinor })
  },
  hasMoved: hasPaymentMoved,
  isSame: isSameTransfer,
  shows: {
    paymentId: paymentFact,
    amountMinor: amountFact<Returning>('amount', ({ amountMinor }) => amountMinor),
    reference: referenceFact,
    why: whyFact,
    version: 'bound',
  },
  run: (ctx, { paymentId, ...given }, doer) =>
    noteReturn(ctx, paymentId, { ...given, actor: doer.name, returner: returnerBy(doer) }),
}

const resolveOperationRow: Guarded<Deciding, Awaited<ReturnType<typeof resolveOperation>>> = {
  bounded: 'once',
  async stake(ctx, args) {
    const { operationId, as } = args
    const operation = await findOperationById(ctx.db, operationId)
    if (!operation?.paymentId)
      return {
        money: null,
        merchantId: operation?.merchantId ?? null,
        about: `${operationId} as ${as}`,
        args,
      }
    const { paymentId, amountMinor, type } = operation
    return stakeOf(ctx, paymentId, { args, how: `${type} ${operationId} as ${as}`, amountMinor })
  },
  async hasMoved(ctx, { operationId, version }) {
    const operation = await findOperationById(ctx.db, operationId)
    if (operation?.status !== 'requires_operator_review') return true
    return operation.paymentId !== null && hasPaymentMoved(ctx, { paymentId: operation.paymentId, version })
  },
  shows: {
    operationId: operationFact,
    as: ({ args }) => textFact('decision', args.as),
    why: whyFact,
    version: 'bound',
  },
  run: (ctx, { operationId, as, ...given }, { name: actor }) =>
    resolveOperation(ctx, operationId, as, { ...given, actor }),
}

export const GUARDED_MONEY = {
  'payment confirm': confirm,
  'payment resolve': resolve,
  'payment returned': returned,
  'payment refund': moneyRow('refund', true),
  'payment capture': moneyRow('capture', false),
  'payment void': moneyRow('void', false),
  'operation resolve': resolveOperationRow,
}
