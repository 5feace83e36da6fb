/** The acts on fiscal receipts that failed, or of which nobody knows. Cases of the desk ask for them. */
import { retryReceiptFor } from '../../operator/acts/agreements.ts'
import { textFact } from '../../operator/approvals/facts.ts'
import { paymentFact, whyFact } from '../../operator/approvals/money.ts'
import { presentReceipt } from '../../operator/receipt-view.ts'
import { resolveReceipt } from '../../payments/decisions/receipt.ts'
import { findReceiptById } from '../../storage/payments/receipts.ts'
import { type AnyRow, act } from '../act.ts'
import { oneOfNeeded, optionalText, payment, text, why } from '../input.ts'

export const retry = act('receipt retry', { paymentId: payment({ byNumber: false }) })({
  shows: { paymentId: paymentFact },
  run: (ctx, { paymentId }, { name }) => retryReceiptFor(ctx, paymentId, name),
  result: async (_ctx, retried) => ({ facts: { ...retried } }),
  helpExamples: ['--payment pay_01...'],
  examples: async (scene) => [{ paymentId: (await scene.stuckReceipt()).paymentId }],
})

export const resolve = act('receipt resolve', {
  receiptId: text({ flag: 'receipt', placeholder: 'ID' }),
  as: oneOfNeeded(['issued', 'failed', 'cancelled'], { placeholder: 'OUTCOME' }),
  number: optionalText({ placeholder: 'N' }),
  why: why({ isOptional: true }),
})({
  wrong: ({ as, number }) => ((as === 'issued') === (number === undefined) ? 'number' : null),
  shows: {
    receiptId: async ({ ctx, args: { receiptId } }) => {
      const receipt = await findReceiptById(ctx.db, receiptId)
      return [...textFact('payment', receipt?.paymentId), ...textFact('receipt', receiptId)]
    },
    as: async ({ ctx, args }) =>
      textFact('decision', args.as, (await findReceiptById(ctx.db, args.receiptId))?.status),
    number: ({ args }) => textFact('number', args.number),
    why: whyFact,
  },
  run: (ctx, { receiptId, as, number = '', why: reason = null }, { name: actor }) =>
    resolveReceipt(ctx, receiptId, as === 'issued' ? { as, number } : { as }, { actor, why: reason }),
  result: async (_ctx, receipt) => ({ facts: { receipt: presentReceipt(receipt, []) } }),
  helpExamples: [
    '--receipt rcp_01... --as issued --number 1042 --why "found on the roll"',
    '--receipt rcp_01... --as failed --why "not on the roll of 2 August"',
    '--receipt rcp_01... --as cancelled --why "the refund failed; corrected by receipt 1043"',
  ],
  async examples(scene) {
    const { receiptId } = await scene.stuckReceipt()
    return [{ receiptId, as: 'issued', number: '1042', why: 'found on the roll' }]
  },
})

export const RECEIPT_ACTS: readonly AnyRow[] = [retry, resolve]
