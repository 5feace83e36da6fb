/** `payment confirm`, `returned` and `resolve`: what a person decides about a payment, because no provider can say it. */
import type { Context } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { doOrPropose } from '../../../operator/approvals/approvals.ts'
import { findByNumber } from '../../../operator/finding/by-number.ts'
import { getPayment } from '../../../operator/payment-timeline.ts'
import { DECIDED_STATUSES } from '../../../payments/decisions/payment.ts'
import { parseTypedAmount } from '../../../payments/money.ts'
import { verb } from '../../command.ts'
import { optional, reference, required, requiredChoice, toggle, VERSION, WHY } from '../../flag.ts'
import { paragraphs } from '../../layout.ts'
import { proposedOutcome } from '../../proposal-text.ts'
import { describe } from './describe.ts'

/** @throws AppError validation_failed, payment_not_found */
async function namedPayment(
  ctx: Context,
  { payment, number }: { payment: string | undefined; number: string | undefined },
): Promise<string> {
  if ((payment === undefined) === (number === undefined))
    throw new AppError('validation_failed', { message: 'Name the payment by --payment or by --number.' })
  return payment ?? findByNumber(ctx, number ?? '')
}

const confirm = verb({
  name: 'confirm',
  needs: 'operator',
  summary: 'Confirm that the money of a manual payment has arrived',
  flags: {
    payment: optional('ID', "the payment's id (pay_...)"),
    number: optional('NUMBER', 'instead of the id: the number that the buyer wrote into the transfer'),
    reference: reference("the bank's reference of the money, which is stored with the payment"),
    amount: optional('AMOUNT', 'the amount that the statement shows, which is compared with the payment'),
    acceptAmount: toggle('accept another amount than that of the payment'),
    version: VERSION,
  },
  examples: [
    '--payment pay_01... --reference "RF18 5390 0754"',
    '--number "MAPZ 2VEK" --amount 15.00 --reference "RF18 5390 0754"',
  ],
  async run(ctx, { payment, number, reference, version, ...shown }, { person }) {
    const id = await namedPayment(ctx, { payment, number })
    const { currency } = await getPayment(ctx, id)
    const amountMinor = shown.amount === undefined ? undefined : parseTypedAmount(shown.amount, currency)
    const args = { paymentId: id, reference, version, amountMinor, accepts: shown.acceptAmount || undefined }
    const decided = await doOrPropose(ctx, person, 'payment confirm', args)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const { confirmed } = decided.done
    const { json, text } = await describe(ctx, id)
    const before = confirmed ? null : 'It was already confirmed with this reference, so nothing has changed.'
    return { json: { ...json, confirmed }, text: paragraphs(before, text) }
  },
})

const returned = verb({
  name: 'returned',
  needs: 'operator',
  summary: 'Note money of a manual payment that you have transferred back',
  flags: {
    payment: optional('ID', "the payment's id (pay_...)"),
    number: optional('NUMBER', 'instead of the id: the number of the order'),
    amount: required('AMOUNT', 'how much you have transferred back'),
    reference: reference("the bank's reference of your transfer, which is stored with the payment"),
    version: VERSION,
    why: WHY,
  },
  examples: ['--number "MAPZ 2VEK" --amount 5.00 --reference "RF18 5390 0754" --why "a crack"'],
  async run(ctx, { payment, number, amount: text, reference, version, why }, { person }) {
    const id = await namedPayment(ctx, { payment, number })
    const amountMinor = parseTypedAmount(text, (await getPayment(ctx, id)).currency)
    const args = { paymentId: id, reference, version, amountMinor, why }
    const decided = await doOrPropose(ctx, person, 'payment returned', args)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const { noted } = decided.done
    const { json, text: shown } = await describe(ctx, id)
    const before = noted ? null : 'This transfer was already noted, so nothing has changed.'
    return { json: { ...json, noted }, text: paragraphs(before, shown) }
  },
})

const resolve = verb({
  name: 'resolve',
  needs: 'operator',
  summary: 'Decide the outcome of an unclear or manual payment',
  flags: {
    payment: required('ID', "the payment's id (pay_...)"),
    as: requiredChoice('STATUS', 'the outcome; the provider is asked first', DECIDED_STATUSES),
    amount: optional('AMOUNT', 'the sum that was taken, if it is less than asked and the shop accepts it'),
    version: VERSION,
    why: WHY,
  },
  examples: [
    '--payment pay_01... --as paid --why "seen in the bank\'s statement of 2 August"',
    '--payment pay_01... --as paid --amount 9.50 --why "the shop accepts less"',
    '--payment pay_01... --as failed --version 4',
  ],
  async run(ctx, { payment: id, as, amount, version, why }, { person }) {
    const accepts =
      amount === undefined ? undefined : parseTypedAmount(amount, (await getPayment(ctx, id)).currency)
    const args = { paymentId: id, as, why, version, accepts }
    const decided = await doOrPropose(ctx, person, 'payment resolve', args)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const { said, disagrees } = decided.done
    const { json, text } = await describe(ctx, id)
    const warning =
      disagrees && `Warning: the provider was asked first, and its answer is different: ${said}.`
    return {
      json: { ...json, providerSaid: said, providerDisagrees: disagrees },
      text: paragraphs(warning, text),
    }
  },
})

export const DECISION_VERBS = [confirm, returned, resolve]
