/** The acts by which a provider moves the money of a payment. In the console the page of the payment asks for them. */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../contract/fields.ts'
import { actOnMoney, type MoneyActed, planMoneyAct, requestPlanned } from '../../operator/acts/money.ts'
import { textFact } from '../../operator/approvals/facts.ts'
import { hasPaymentMoved, paymentFact, stakeOf, whyFact } from '../../operator/approvals/money.ts'
import { returnerBy } from '../../operator/approvals/stake.ts'
import { getPayment } from '../../operator/payment-timeline.ts'
import { askAboutPayment } from '../../payments/attempts/question.ts'
import { type MoneyOperation, OPERATION_TABLE } from '../../payments/operation.ts'
import { wholeAmount } from '../../payments/operations/money.ts'
import { type AnyRow, act } from '../act.ts'
import { bound, type Given, optionalAmount, optionalText, payment, version, why } from '../input.ts'
import type { Scene } from '../scene.ts'

const AMOUNT = optionalAmount({ flag: 'amount', placeholder: '15.00' })
/** A void releases everything. */
const NO_AMOUNT = bound(z.number().int().optional())
const NEEDED = why({ isOptional: false })
const OPTIONAL = why({ isOptional: true })

const inputOf = (amountMinor: typeof AMOUNT, reason: typeof NEEDED) => ({
  paymentId: payment({ byNumber: false }),
  key: optionalText({ placeholder: 'KEY', max: IDEMPOTENCY_KEY_MAX_CHARS }),
  version: version(),
  amountMinor,
  why: reason,
  // Versions before the limits of persons by day stored the most that could go back. Nothing reads it any more.
  totalMaxMinor: bound(z.number().int().optional()),
})
type Values = Given<ReturnType<typeof inputOf>>

/** A key that a form or a command has made. */
const MADE_KEY = /^(console|refund|capture|void) /

type Kind = {
  type: MoneyOperation
  input: ReturnType<typeof inputOf>
  /** Several of one payment count together. */
  addsUp: boolean
  helpExamples: readonly string[]
  examples(scene: Scene): Promise<Values[]>
}

/** A repeated act moves no money. Its key is bound, so what is granted twice is done once. */
const moneyAct = (
  name: 'payment refund' | 'payment capture' | 'payment void',
  { type, input, addsUp, ...more }: Kind,
) =>
  act(
    name,
    input,
  )({
    currency: async (ctx: Context, { paymentId }) => (await getPayment(ctx, paymentId)).currency,
    shows: {
      paymentId: paymentFact,
      async amountMinor({ ctx, args }) {
        const payment = await getPayment(ctx, args.paymentId)
        const amountMinor = args.amountMinor ?? wholeAmount(type, payment)
        // Nothing is left where it was done before.
        return amountMinor === 0
          ? []
          : [{ name: 'amount', after: { amountMinor, currency: payment.currency } }]
      },
      why: whyFact,
      key: ({ args }) => textFact('key', args.key),
      version: 'bound',
      totalMaxMinor: 'bound',
    },
    secondPerson: {
      addsUp,
      bounded: 'by_day',
      async stake(ctx, { totalMaxMinor: _, ...given }) {
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
    },
    async run(ctx, { key, totalMaxMinor: _, ...args }, doer): Promise<MoneyActed> {
      const returner = returnerBy(doer)
      // A proposal of an early version has no key.
      if (key === undefined) return actOnMoney(ctx, type, args, doer.name, returner)
      return requestPlanned(ctx, type, { ...args, key }, doer.name, returner)
    },
    async result(_ctx, acted: MoneyActed) {
      const { id, status, statusReason: reason } = acted.operation
      const result = { operationId: id, status: reason ? `${status}: ${reason}` : status }
      return { facts: { ...acted }, textValues: { ...result, paymentStatus: acted.payment?.status ?? '' } }
    },
    ...more,
  })

export const refund = moneyAct('payment refund', {
  type: 'refund',
  input: inputOf(AMOUNT, NEEDED),
  addsUp: true,
  helpExamples: [
    '--payment pay_01... --amount 5.00 --why "the cup was broken"',
    '--payment pay_01... --why "sent back" --dry-run',
  ],
  examples: async ({ paid }) => [
    { paymentId: await paid(), amountMinor: 500, why: 'the cup was broken' },
    { paymentId: await paid(), why: 'sent back' },
  ],
})

export const capture = moneyAct('payment capture', {
  type: 'capture',
  input: inputOf(AMOUNT, OPTIONAL),
  addsUp: false,
  helpExamples: ['--payment pay_01...', '--payment pay_01... --amount 12.00 --dry-run'],
  examples: async ({ held }) => [
    { paymentId: await held() },
    { paymentId: await held(), amountMinor: 1_200 },
  ],
})

export const release = moneyAct('payment void', {
  type: 'void',
  input: inputOf(NO_AMOUNT, NEEDED),
  addsUp: false,
  helpExamples: ['--payment pay_01... --why "out of stock"'],
  examples: async ({ held }) => [{ paymentId: await held(), why: 'out of stock' }],
})

/** The page of the payment asks by itself. */
export const ask = act('payment ask', { paymentId: payment({ byNumber: false }) })({
  asksOthers: true,
  shows: { paymentId: paymentFact },
  async run(ctx, { paymentId }) {
    await askAboutPayment(ctx, await getPayment(ctx, paymentId))
    await ctx.exchangeLog.flush()
    return {}
  },
  describes: { what: 'payment', id: ({ paymentId }) => paymentId },
  result: async () => ({ facts: {} }),
  helpExamples: ['--payment pay_01...'],
  examples: async ({ paidSilently }) => [{ paymentId: await paidSilently() }],
})

export const PAYMENT_ACTS: readonly AnyRow[] = [refund, capture, release, ask]
