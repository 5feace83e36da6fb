/** What a person decides about money, because no provider moves or reports it. In the console the page of the payment asks for it. */

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { cancelFor } from '../../operator/acts/money.ts'
import { textFact, tickFact } from '../../operator/approvals/facts.ts'
import {
  amountFact,
  hasPaymentMoved,
  operationFact,
  paymentFact,
  referenceFact,
  stakeOf,
  whyFact,
} from '../../operator/approvals/money.ts'
import { returnerBy } from '../../operator/approvals/stake.ts'
import { getPayment } from '../../operator/payment-timeline.ts'
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { confirmPayment, DECIDED_STATUSES, resolvePayment } from '../../payments/decisions/payment.ts'
import { isNotedReturn, noteReturn } from '../../payments/decisions/returned.ts'
import { findOperationById } from '../../storage/payments/operations.ts'
import { type AnyRow, act } from '../act.ts'
import { amount, bound, oneOfNeeded, optionalAmount, payment, text, tick, version, why } from '../input.ts'
import type { Scene } from '../scene.ts'

/** As long as the forms of the payment's page take it. */
const REFERENCE_MAX_CHARS = 240
const reference = () => text({ placeholder: 'R', max: REFERENCE_MAX_CHARS })

type OfPayment = { paymentId: string }
const isSameTransfer = (one: OfPayment & { reference: string }, other: OfPayment & { reference: string }) =>
  one.paymentId === other.paymentId && one.reference === other.reference

/** For the examples. A bank gives no reference twice. */
async function transfer({ byHand }: Scene, how?: { isPaid: boolean }) {
  const paymentId = await byHand(how)
  return { paymentId, reference: `RF ${paymentId}` }
}

/** `describes`: the command prints the payment as it is afterwards. */
const onPayment = {
  currency: async (ctx: Context, { paymentId }: OfPayment) => (await getPayment(ctx, paymentId)).currency,
  describes: { what: 'payment', id: ({ paymentId }: OfPayment) => paymentId },
} as const

export const confirm = act('payment confirm', {
  paymentId: payment({ byNumber: true }),
  reference: reference(),
  amountMinor: optionalAmount({ flag: 'amount', placeholder: 'AMOUNT' }),
  accepts: tick({ flag: 'acceptAmount' }),
  version: version(),
})({
  ...onPayment,
  shows: {
    paymentId: paymentFact,
    amountMinor: amountFact('arrived', ({ amountMinor }) => amountMinor),
    accepts: ({ args }) => tickFact('acceptsOther', args.accepts),
    reference: referenceFact,
    version: 'bound',
  },
  secondPerson: {
    bounded: 'once',
    stake: (ctx, args) => stakeOf(ctx, args.paymentId, { args, how: 'paid', arrivedMinor: args.amountMinor }),
    hasMoved: hasPaymentMoved,
    isSame: isSameTransfer,
  },
  run: (ctx, { paymentId, ...given }, { name: actor }) => confirmPayment(ctx, paymentId, { ...given, actor }),
  result: async (_ctx, { confirmed }) => ({ facts: { confirmed } }),
  helpExamples: [
    '--payment pay_01... --reference "RF18 5390 0754"',
    '--number "MAPZ 2VEK" --amount 15.00 --reference "RF18 5390 0754"',
  ],
  examples: async (scene) => [{ ...(await transfer(scene)), amountMinor: 1_900 }],
})

export const returned = act('payment returned', {
  paymentId: payment({ byNumber: true }),
  amountMinor: amount({ flag: 'amount', placeholder: 'AMOUNT' }),
  reference: reference(),
  version: version(),
  why: why({ isOptional: true }),
  // Versions before the limits of persons by day stored the most that could go back. Nothing reads it any more.
  totalMaxMinor: bound(z.number().int().optional()),
})({
  ...onPayment,
  shows: {
    paymentId: paymentFact,
    amountMinor: amountFact('amount', ({ amountMinor }) => amountMinor),
    reference: referenceFact,
    why: whyFact,
    version: 'bound',
    totalMaxMinor: 'bound',
  },
  secondPerson: {
    addsUp: true,
    bounded: 'by_day',
    async stake(ctx, args) {
      const { paymentId, amountMinor, reference: bank } = args
      const returnsMinor = (await isNotedReturn(ctx, paymentId, bank)) ? 0 : amountMinor
      const how = 'returned by hand'
      return stakeOf(ctx, paymentId, { args, how, amountMinor, addsUp: true, returnsMinor })
    },
    hasMoved: hasPaymentMoved,
    isSame: isSameTransfer,
  },
  run: (ctx, { paymentId, why: reason = null, totalMaxMinor: _, ...given }, doer) =>
    noteReturn(ctx, paymentId, { ...given, why: reason, actor: doer.name, returner: returnerBy(doer) }),
  result: async (_ctx, { noted }) => ({ facts: { noted } }),
  helpExamples: ['--number "MAPZ 2VEK" --amount 5.00 --reference "RF18 5390 0754" --why "a crack"'],
  async examples(scene) {
    return [{ ...(await transfer(scene, { isPaid: true })), amountMinor: 500, why: 'a crack' }]
  },
})

export const resolve = act('payment resolve', {
  paymentId: payment({ byNumber: false }),
  as: oneOfNeeded(DECIDED_STATUSES, { placeholder: 'STATUS' }),
  accepts: optionalAmount({ flag: 'amount', placeholder: 'AMOUNT' }),
  version: version(),
  why: why({ isOptional: true }),
})({
  ...onPayment,
  asksOthers: true,
  shows: {
    paymentId: paymentFact,
    as: ({ args }) => textFact('decision', args.as),
    accepts: amountFact('acceptsSum', ({ accepts }) => accepts),
    why: whyFact,
    version: 'bound',
  },
  secondPerson: {
    bounded: 'once',
    stake: (ctx, args) => stakeOf(ctx, args.paymentId, { args, how: `as ${args.as}` }),
    hasMoved: hasPaymentMoved,
  },
  run: (ctx, { paymentId, as, why: reason = null, ...given }, { name: actor }) =>
    resolvePayment(ctx, paymentId, as, { ...given, why: reason, actor }),
  result: async (_ctx, { providerAnswer, disagrees }) => ({
    facts: { providerSaid: providerAnswer, providerDisagrees: disagrees },
  }),
  helpExamples: [
    '--payment pay_01... --as paid --why "seen in the bank\'s statement of 2 August"',
    '--payment pay_01... --as paid --amount 9.50 --why "the shop accepts less"',
    '--payment pay_01... --as failed --version 4',
  ],
  examples: async (scene) => [{ paymentId: await scene.byHand(), as: 'cancelled', why: 'the buyer rang' }],
})

/** It is cancelled once, so the first reason stays. */
export const cancel = act('payment cancel', {
  paymentId: payment({ byNumber: false }),
  why: why({ isOptional: false }),
})({
  asksOthers: true,
  shows: { paymentId: paymentFact, why: whyFact },
  run: (ctx, { paymentId, why: reason }, { name }) => cancelFor(ctx, { paymentId, why: reason ?? '' }, name),
  result: async (_ctx, cancelled) => ({
    facts: { ...cancelled },
    textValues: { status: cancelled.payment.status },
  }),
  helpExamples: ['--payment pay_01... --why "the order has changed"'],
  examples: async (scene) => [{ paymentId: await scene.byHand(), why: 'the order has changed' }],
})

export const resolveMoney = act('operation resolve', {
  operationId: text({ flag: 'operation', placeholder: 'ID' }),
  as: oneOfNeeded(['succeeded', 'failed'], { placeholder: 'OUTCOME' }),
  version: version(),
  why: why({ isOptional: true }),
})({
  asksOthers: true,
  describes: { what: 'operation', id: ({ operationId }) => operationId },
  shows: {
    operationId: operationFact,
    as: ({ args }) => textFact('decision', args.as),
    why: whyFact,
    version: 'bound',
  },
  secondPerson: {
    bounded: 'once',
    async stake(ctx, args) {
      const { operationId, as } = args
      const operation = await findOperationById(ctx.db, operationId)
      const about = `${operationId} as ${as}`
      if (!operation?.paymentId)
        return { money: null, merchantId: operation?.merchantId ?? null, about, args }
      const { paymentId, amountMinor, type } = operation
      return stakeOf(ctx, paymentId, { args, how: `${type} ${about}`, amountMinor })
    },
    async hasMoved(ctx, { operationId, version: seen }) {
      const operation = await findOperationById(ctx.db, operationId)
      if (operation?.status !== 'requires_operator_review') return true
      const { paymentId } = operation
      return paymentId !== null && hasPaymentMoved(ctx, { paymentId, version: seen })
    },
  },
  run: (ctx, { operationId, as, why: reason = null, ...given }, { name: actor }) =>
    resolveOperation(ctx, operationId, as, { ...given, why: reason, actor }),
  result: async () => ({ facts: {} }),
  helpExamples: ['--operation opr_01... --as succeeded --why "seen in the bank\'s statement of 2 August"'],
  examples: async (scene) => [
    { operationId: await scene.undecided(), as: 'failed', why: 'not in their books' },
  ],
})

export const DECISION_ACTS: readonly AnyRow[] = [confirm, returned, resolve, cancel, resolveMoney]
